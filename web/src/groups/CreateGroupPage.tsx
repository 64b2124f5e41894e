import { createGroup } from '@passport/contract/groups'
import { call } from '../app/api.ts'
import { CreatePage } from '../directory/CreatePage.tsx'
import { WhatFollows } from '../directory/WhatFollows.tsx'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { type Area, listLinks } from './area.ts'

const whatFollows: [string, string][] = [
  ['You own it', 'Add members and more owners, or share a join link.'],
  ['Members inherit its roles', 'An administrator chooses the roles of a group.'],
]

export const AdminCreateGroupPage = () => <CreateGroupPage area="admin" />
export const OwnCreateGroupPage = () => <CreateGroupPage area="account" />

/** Creates a group that the current user owns. */
function CreateGroupPage({ area }: { area: Area }) {
  return (
    <CreatePage
      kind="group"
      list={listLinks[area]}
      initialValues={{ name: '', description: '' }}
      labels={{ name: 'Name', description: 'Description' }}
      create={(body) => call(createGroup, { body })}
      rail={<WhatFollows steps={whatFollows} />}
      pageOf={({ id }) => ({ to: `${listLinks[area].to}/$groupId` as const, params: { groupId: id } })}
    >
      {(record) => (
        <Card title="Details" description="You'll be the owner of the group.">
          <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
            <Field label="Name" autoComplete="off" error={record.errorOf('name')} {...record.form.register('name')} />
            <Field
              label="Description"
              placeholder="Optional"
              autoComplete="off"
              error={record.errorOf('description')}
              {...record.form.register('description')}
            />
          </div>
        </Card>
      )}
    </CreatePage>
  )
}
