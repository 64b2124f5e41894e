import { createRole } from '@passport/contract/roles'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { call } from '../app/api.ts'
import { reportSuccess } from '../app/messages.ts'
import { queryClient } from '../app/query-client.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { DescriptionField } from './DescriptionField.tsx'

const emptyValues = { values: { name: '', description: '' } }

/** Creates a role, to be granted afterwards. */
export function CreateRolePage() {
  const navigate = useNavigate()
  const record = useRecordForm({
    saved: emptyValues,
    labels: { name: 'Name', description: 'Description' },
    save: (body) => call(createRole, { body }),
    fieldByCode: { 'role-name-taken': 'name' },
    onSaved: (response) => {
      const { name } = response as { name: string }
      void queryClient.invalidateQueries({ queryKey: [createRole.path] })
      reportSuccess(`${name} created`)
      void navigate({ to: '/admin/roles/$name', params: { name } })
    },
  })
  return (
    <div className="max-w-[760px]">
      <Link to="/admin/roles" className="mb-3 inline-flex items-center gap-1 text-ink2 hover:text-ink">
        <ChevronLeft size={15} />
        Roles
      </Link>
      <h1 className="mb-6">Create role</h1>
      <RecordFormFrame record={record} recordLabel="this role" action="Create role" isNew>
        <Card title="Details" description="Apps use the exact name. It can't be changed later.">
          <div className="grid gap-4 px-5 pb-5">
            <Field
              label="Name"
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
              placeholder="Stage.Editor"
              hint="PascalCase words separated by dots, e.g. Billing.Admin."
              error={record.errorOf('name')}
              {...record.form.register('name')}
            />
            <DescriptionField record={record} />
          </div>
        </Card>
      </RecordFormFrame>
    </div>
  )
}
