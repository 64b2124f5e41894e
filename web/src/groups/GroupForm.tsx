import { type Group, getGroup, putGroup } from '@passport/contract/groups'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Field } from '../ui/Field.tsx'
import { refreshGroups } from './refresh.ts'

const toSaved = ({ name, description, version }: Group) => ({ values: { name, description }, version })

/** The form of a group's name and description. */
export function GroupForm({ group, onClose }: { group: Group; onClose: () => void }) {
  const record = useRecordForm({
    saved: toSaved(group),
    labels: { name: 'Name', description: 'Description' },
    save: (body, options) => call(putGroup, { params: { groupId: group.id }, body }, options),
    reload: async () => toSaved(await call(getGroup, { params: { id: group.id } })),
    onSaved: () => {
      void refreshGroups()
      reportSuccess('Saved')
      onClose()
    },
  })
  return (
    <EditCard record={record} recordLabel="this group" title="Edit group" onClose={onClose}>
      <Field label="Name" autoComplete="off" error={record.errorOf('name')} {...record.form.register('name')} />
      <Field
        label="Description"
        autoComplete="off"
        error={record.errorOf('description')}
        {...record.form.register('description')}
      />
    </EditCard>
  )
}
