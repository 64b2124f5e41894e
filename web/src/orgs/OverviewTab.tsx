import { deleteOrg, getOrg, type Org, putOrg, restoreOrg } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, failureOf } from '../app/api.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { DangerRow, DangerZone } from '../ui/DangerZone.tsx'
import { Field } from '../ui/Field.tsx'
import { TypeToConfirm } from '../ui/TypeToConfirm.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { DomainStatus } from './DomainStatus.tsx'
import { LeaveRow } from './LeaveRow.tsx'
import type { OrgTab } from './OrgFrame.tsx'

/** What an organisation is called, and the end of it. */
export function OverviewTab({ place, org }: OrgTab) {
  return (
    <>
      {place.isAdmin ? <Settings org={org} /> : <Domains org={org} />}
      <DangerZone>{place.isAdmin ? <DeleteRow org={org} /> : <LeaveRow org={org} />}</DangerZone>
    </>
  )
}

const savedOf = ({ name, slug, version }: Org) => ({ values: { name, slug }, version })

function Settings({ org }: { org: Org }) {
  const queryClient = useQueryClient()
  const params = { orgId: org.id }
  const record = useRecordForm({
    saved: savedOf(org),
    labels: { name: 'Name', slug: 'Slug' },
    save: (body, options) => call(putOrg, { params, body }, options),
    reload: async () => savedOf(await call(getOrg, { params })),
    fieldOf: { 'slug-taken': 'slug' },
    onSaved: () => {
      void queryClient.invalidateQueries()
      void toast({ type: 'success', content: 'Saved' })
    },
  })
  return (
    <RecordFormFrame record={record} what="this organisation">
      <Card title="Settings">
        <div className="grid gap-4 px-5 pb-5">
          <Field label="Name" required error={record.errorOf('name')} {...record.form.register('name')} />
          <Field
            label="Slug"
            hint="Its name in addresses."
            autoCapitalize="none"
            spellCheck={false}
            error={record.errorOf('slug')}
            {...record.form.register('slug')}
          />
        </div>
      </Card>
    </RecordFormFrame>
  )
}

function Domains({ org }: { org: Org }) {
  return (
    <Card title="Domains" about="An administrator of Passport adds and removes them.">
      {org.domains.length === 0 && <p className="px-5 pb-5 text-ink2">It has none.</p>}
      <ul className="px-5 pb-2">
        {org.domains.map((one) => (
          <li key={one.domain} className="flex flex-wrap justify-between gap-x-4 gap-y-1 border-t border-line py-3">
            <span className="font-[560] break-all">{one.domain}</span>
            <DomainStatus domain={one} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function DeleteRow({ org }: { org: Org }) {
  const [isAsking, setAsking] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const { change, dialog } = usePreview()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const params = { orgId: org.id }

  async function remove() {
    setBusy(true)
    try {
      const about = { title: `Delete ${org.name}?`, action: 'Delete organisation' }
      if (!(await change((query) => call(deleteOrg, { params, query }), about))) return
      await navigate({ to: '/admin/orgs' })
      const undo = () => call(restoreOrg, { params, query: {}, body: {} }).finally(refresh)
      void undoToast(`${org.name} is deleted`, undo, (error) => failureOf(error).detail)
      refresh()
    } catch (error) {
      void toast({ type: 'error', content: `Not deleted. ${failureOf(error).detail}` })
    } finally {
      setBusy(false)
      setAsking(false)
    }
  }
  const refresh = () => void queryClient.invalidateQueries()

  return (
    <>
      <DangerRow
        title="Delete this organisation"
        about="Its groups go with it, and its people lose what they have by them. It can be brought back for 30 days."
        action={
          <Button look="danger" onClick={() => setAsking(true)}>
            Delete …
          </Button>
        }
      />
      <TypeToConfirm
        isOpen={isAsking}
        title={`Delete ${org.name}?`}
        phrase={org.name}
        action="Delete organisation"
        isBusy={isBusy}
        onConfirm={() => void remove()}
        onClose={() => setAsking(false)}
      >
        {org.memberCount === 1 ? 'One person is' : `${org.memberCount.toLocaleString('en')} people are`} in it. It can
        be brought back for 30 days.
      </TypeToConfirm>
      {dialog}
    </>
  )
}
