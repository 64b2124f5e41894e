import { createRole } from '@passport/contract/roles'
import { call } from '../app/api.ts'
import { CreatePage } from '../directory/CreatePage.tsx'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { DescriptionField } from './DescriptionField.tsx'

const whatFollows: [string, string][] = [
  ['Nobody has it yet', 'Add users, or a group whose members inherit it.'],
  ['Apps read it', 'It is in the roles of new tokens.'],
]

/** Creates a role without members. */
export function CreateRolePage() {
  return (
    <CreatePage
      kind="role"
      list={{ to: '/admin/roles', label: 'Roles' }}
      initialValues={{ name: '', description: '' }}
      labels={{ name: 'Name', description: 'Description' }}
      fieldByCode={{ 'role-name-taken': 'name' }}
      create={(body) => call(createRole, { body })}
      pageOf={({ name }) => ({ to: '/admin/roles/$name', params: { name } })}
      rail={<WhatFollows steps={whatFollows} />}
    >
      {(record) => (
        <Card title="Details" description="Apps use the exact name. It can't be changed later.">
          <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
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
      )}
    </CreatePage>
  )
}
