import { getRole, putRole, type Role } from '@passport/contract/roles'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { EditCard } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { DescriptionField } from './DescriptionField.tsx'

const toSaved = (role: Role) => ({ values: { description: role.description }, version: role.version, record: role })

/** The form of a role's description. The name can't be changed. */
export function RoleForm({ role, onClose }: { role: Role; onClose: () => void }) {
  const params = { name: role.name }
  const record = useRecordForm({
    saved: toSaved(role),
    labels: { description: 'Description' },
    save: (values, options, role) => call(putRole, { params, body: { ...role, ...values } }, options),
    reload: async () => toSaved(await call(getRole, { params })),
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: [getRole.path] })
      reportSuccess('Saved')
      onClose()
    },
  })
  return (
    <EditCard record={record} recordLabel="this role" title="Edit role" onClose={onClose}>
      <DescriptionField record={record} />
    </EditCard>
  )
}
