import { deleteGroup, type Group, getGroup, putGroup, restoreGroup } from '@passport/contract/groups'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { DeleteRecord } from '../directory/DeleteRecord.tsx'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { DangerZone } from '../ui/DangerZone.tsx'
import { Field } from '../ui/Field.tsx'
import { type Area, listLinks } from './area.ts'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'

export const AdminSettingsPage = () => <SettingsPage area="admin" />
export const OwnSettingsPage = () => <SettingsPage area="account" />

function SettingsPage({ area }: { area: Area }) {
  return (
    <GroupFrame area={area}>
      {(group) => (
        <>
          <DetailsForm group={group} />
          <DangerZone>
            <DeleteGroup area={area} group={group} />
          </DangerZone>
        </>
      )}
    </GroupFrame>
  )
}

const toSaved = ({ name, description, version }: Group) => ({ values: { name, description }, version })

function DetailsForm({ group }: { group: Group }) {
  const record = useRecordForm({
    saved: toSaved(group),
    labels: { name: 'Name', description: 'Description' },
    save: (body, options) => call(putGroup, { params: { groupId: group.id }, body }, options),
    reload: async () => toSaved(await call(getGroup, { params: { id: group.id } })),
    onSaved: () => {
      void refreshGroups()
      reportSuccess('Saved')
    },
  })
  return (
    <RecordFormFrame record={record} recordLabel="this group">
      <Card title="Settings">
        <div className="grid gap-4 px-5 pb-5">
          <Field label="Name" autoComplete="off" error={record.errorOf('name')} {...record.form.register('name')} />
          <Field
            label="Description"
            autoComplete="off"
            error={record.errorOf('description')}
            {...record.form.register('description')}
          />
        </div>
      </Card>
    </RecordFormFrame>
  )
}

function DeleteGroup({ area, group: { id, name, version } }: { area: Area; group: Group }) {
  return (
    <DeleteRecord
      kind="group"
      name={name}
      consequence="Members lose the roles that they inherit from it."
      list={listLinks[area].to}
      remove={(query) => call(deleteGroup, { params: { id }, query }, { ifMatch: `"${version}"` })}
      restore={() => call(restoreGroup, { params: { id }, query: {}, body: {} })}
    />
  )
}
