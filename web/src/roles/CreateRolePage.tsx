import { createRole } from '@passport/contract/roles'
import { Link, useNavigate } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import { call } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { RecordFormFrame } from '../directory/RecordFormFrame.tsx'
import { useRecordForm } from '../directory/record-form.ts'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { toast } from '../ui/toast.ts'
import { DescriptionField } from './DescriptionField.tsx'

const nothing = { values: { name: '', description: '' } }

/** A role is made first and given afterwards. */
export function CreateRolePage() {
  const navigate = useNavigate()
  const record = useRecordForm({
    saved: nothing,
    labels: { name: 'Name', description: 'Description' },
    save: (body) => call(createRole, { body }),
    fieldOf: { 'role-name-taken': 'name' },
    onSaved: (answer) => {
      const { name } = answer as { name: string }
      void queryClient.invalidateQueries({ queryKey: [createRole.path] })
      void toast({ type: 'success', content: `Made the role ${name}` })
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
      <RecordFormFrame record={record} what="this role" action="Create role" isAlwaysReady>
        <Card title="The role" about="Applications know it by its exact name, which cannot be changed afterwards.">
          <div className="grid gap-4 px-5 pb-5">
            <Field
              label="Name"
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
              placeholder="Stage.Editor"
              hint="Words that begin with a capital, joined by dots."
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
