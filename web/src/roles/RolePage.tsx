import { deleteRole, getRole, putRole, type Role } from '@passport/contract/roles'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { DeleteRecord } from '../directory/DeleteRecord.tsx'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { DangerZone } from '../ui/DangerZone.tsx'
import { DescriptionField } from './DescriptionField.tsx'
import { MembersCard } from './MembersCard.tsx'
import { RoleFrame } from './RoleFrame.tsx'

/** A role: its settings and its members. */
export function RolePage() {
  return (
    <RoleFrame>
      {(role) => (
        <>
          <Settings role={role} />
          <MembersCard role={role.name} />
          {!role.builtIn && (
            <DangerZone>
              <DeleteRole role={role} />
            </DangerZone>
          )}
        </>
      )}
    </RoleFrame>
  )
}

const toSaved = ({ description, version }: Role) => ({ values: { description }, version })

function Settings({ role }: { role: Role }) {
  const params = { name: role.name }
  const record = useRecordForm({
    saved: toSaved(role),
    labels: { description: 'Description' },
    save: (body, options) => call(putRole, { params, body }, options),
    reload: async () => toSaved(await call(getRole, { params })),
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: [getRole.path] })
      reportSuccess('Saved')
    },
  })
  return (
    <RecordFormFrame record={record} recordLabel="this role">
      <Card title="Details">
        <div className="px-5 pb-5">
          <DescriptionField record={record} />
        </div>
      </Card>
    </RecordFormFrame>
  )
}

function DeleteRole({ role: { name } }: { role: Role }) {
  return (
    <DeleteRecord
      kind="role"
      name={name}
      consequence="Removes it from everyone, including through groups."
      list="/admin/roles"
      remove={(query) => call(deleteRole, { params: { name }, query })}
    />
  )
}
