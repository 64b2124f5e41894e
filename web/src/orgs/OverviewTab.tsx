import { deleteOrg, getOrg, type Org, putOrg, restoreOrg } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
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

/** The settings of an organisation, and its deletion. */
export function OverviewTab({ area, org }: OrgTab) {
  return (
    <>
      {area.isAdmin ? <Settings org={org} /> : <Domains org={org} />}
      <DangerZone>{area.isAdmin ? <DeleteRow org={org} /> : <LeaveRow org={org} />}</DangerZone>
    </>
  )
}

const toSaved = ({ name, slug, version }: Org) => ({ values: { name, slug }, version })

function Settings({ org }: { org: Org }) {
  const queryClient = useQueryClient()
  const params = { orgId: org.id }
  const record = useRecordForm({
    saved: toSaved(org),
    labels: { name: 'Name', slug: 'Slug' },
    save: (body, options) => call(putOrg, { params, body }, options),
    reload: async () => toSaved(await call(getOrg, { params })),
    fieldByCode: { 'slug-taken': 'slug' },
    onSaved: () => {
      void queryClient.invalidateQueries()
      void toast({ type: 'success', content: 'Saved' })
    },
  })
  return (
    <RecordFormFrame record={record} recordLabel="this organisation">
      <Card title="Settings">
        <div className="grid gap-4 px-5 pb-5">
          <Field label="Name" required error={record.errorOf('name')} {...record.form.register('name')} />
          <Field
            label="Slug"
            hint="Used in URLs."
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
    <Card title="Domains" description="Managed by an administrator.">
      {org.domains.length === 0 && <p className="px-5 pb-5 text-ink2">No domains.</p>}
      <ul className="px-5 pb-2">
        {org.domains.map((domain) => (
          <li key={domain.domain} className="flex flex-wrap justify-between gap-x-4 gap-y-1 border-t border-line py-3">
            <span className="font-[560] break-all">{domain.domain}</span>
            <DomainStatus domain={domain} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

function DeleteRow({ org }: { org: Org }) {
  const [isConfirming, setConfirming] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const { change, dialog } = usePreview()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const params = { orgId: org.id }

  async function remove() {
    setBusy(true)
    try {
      const confirmation = { title: `Delete ${org.name}?`, action: 'Delete organisation' }
      if (!(await change((query) => call(deleteOrg, { params, query }), confirmation))) return
      await navigate({ to: '/admin/orgs' })
      const undo = () => call(restoreOrg, { params, query: {}, body: {} }).finally(refresh)
      void undoToast(`${org.name} deleted`, undo, (error) => toFailure(error).detail)
      refresh()
    } catch (error) {
      void toast({ type: 'error', content: `Couldn't delete the organisation: ${toFailure(error).detail}` })
    } finally {
      setBusy(false)
      setConfirming(false)
    }
  }
  const refresh = () => void queryClient.invalidateQueries()

  return (
    <>
      <DangerRow
        title="Delete this organisation"
        description="Its groups are deleted too. You can restore it for 30 days."
        action={
          <Button variant="danger" onClick={() => setConfirming(true)}>
            Delete…
          </Button>
        }
      />
      <TypeToConfirm
        isOpen={isConfirming}
        title={`Delete ${org.name}?`}
        phrase={org.name}
        action="Delete organisation"
        isBusy={isBusy}
        onConfirm={() => void remove()}
        onClose={() => setConfirming(false)}
      >
        {org.memberCount === 1 ? '1 member loses' : `${org.memberCount.toLocaleString('en')} members lose`} access. You
        can restore it for 30 days.
      </TypeToConfirm>
      {dialog}
    </>
  )
}
