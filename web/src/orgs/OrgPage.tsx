import { deleteOrg, getOrg, type Org, putOrg, restoreOrg } from '@passport/contract/orgs'
import { useQueryClient } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { DeleteRecord } from '../directory/DeleteRecord.tsx'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { formatCount } from '../directory/total.ts'
import { Card } from '../ui/Card.tsx'
import { DangerZone } from '../ui/DangerZone.tsx'
import { Field } from '../ui/Field.tsx'
import { DomainStatus } from './DomainStatus.tsx'
import { LeaveRow } from './LeaveRow.tsx'
import { OrgFrame, type OrgTab } from './OrgFrame.tsx'
import { accountArea, adminArea } from './org-area.ts'

export const OrgPage = () => <OrgFrame area={adminArea}>{(tab) => <Overview {...tab} />}</OrgFrame>
export const OwnOrgPage = () => <OrgFrame area={accountArea}>{(tab) => <Overview {...tab} />}</OrgFrame>

/** The settings of an organisation, and its deletion. */
function Overview({ area, org }: OrgTab) {
  return (
    <>
      {area.isAdmin ? <Settings org={org} /> : <Domains org={org} />}
      <DangerZone>{area.isAdmin ? <DeleteOrg org={org} /> : <LeaveRow org={org} />}</DangerZone>
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
      reportSuccess('Saved')
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

function DeleteOrg({ org: { id, name, memberCount } }: { org: Org }) {
  const params = { orgId: id }
  const members = memberCount > 0 && ` and removes ${formatCount(memberCount, undefined, ['member', 'members'])}`
  return (
    <DeleteRecord
      kind="organisation"
      name={name}
      consequence={`Deletes its groups${members || ''}.`}
      list="/admin/orgs"
      remove={(query) => call(deleteOrg, { params, query })}
      restore={() => call(restoreOrg, { params, query: {}, body: {} })}
    />
  )
}
