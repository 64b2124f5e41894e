import { type Group, getGroup, putGroupRoles } from '@passport/contract/groups'
import { listRoles } from '@passport/contract/roles'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { call, query } from '../app/api.ts'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { editResponse } from '../app/optimistic-update.ts'
import { AddRoles } from '../directory/AddRecords.tsx'
import { CardRow, CardRows } from '../directory/CardRows.tsx'
import { formatCount } from '../directory/total.ts'
import { type PreviewQuery, usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'

export const GroupRolesPage = () => (
  <GroupFrame area="admin" hasRoles>
    {(group) => <Roles group={group} />}
  </GroupFrame>
)

type EditRoles = (roles: string[]) => string[]
const addTo =
  (added: string[]): EditRoles =>
  (roles) =>
    [...new Set([...roles, ...added])].toSorted()
const removeFrom =
  (removed: string[]): EditRoles =>
  (roles) =>
    roles.filter((role) => !removed.includes(role))

/** Applies the edit to the current roles of the group, so that a concurrent change of other roles is kept. */
const changeRoles = (groupId: string, edit: EditRoles) => async (query: PreviewQuery) => {
  const { roles, version } = await call(getGroup, { params: { id: groupId } })
  return call(putGroupRoles, { params: { groupId }, query, body: { roles: edit(roles) } }, { ifMatch: `"${version}"` })
}

/** The roles that a group's members inherit; each is added and removed on its own, after a preview of the users. */
function Roles({ group }: { group: Group }) {
  const { change, dialog } = usePreview()
  const [removed, setRemoved] = useState<string>()
  const { data } = useQuery(query(listRoles, { query: { limit: 200 } }))
  const descriptions = new Map(data?.items.map(({ name, description }) => [name, description]))

  async function save(title: string, action: string, message: string, edit: EditRoles, undo: EditRoles) {
    const edits = [editResponse(getGroup, { params: { id: group.id } }, (group) => edited(group, edit))]
    try {
      const saved = await change(changeRoles(group.id, edit), { title, action }, { edits })
      if (saved)
        reportWithUndo(message, async () => {
          await changeRoles(group.id, undo)({})
          await refreshGroups()
        })
      return saved !== undefined
    } finally {
      await refreshGroups()
    }
  }

  const add = (picked: Pickable[]) => {
    const names = picked.map(({ name }) => name)
    const list = names.join(', ')
    return save(
      `Add ${list} to ${group.name}?`,
      'Add',
      `${list} added to ${group.name}`,
      addTo(names),
      removeFrom(names),
    )
  }

  async function remove(name: string) {
    setRemoved(name)
    try {
      const message = `${name} removed from ${group.name}`
      await save(`Remove ${name} from ${group.name}?`, 'Remove', message, removeFrom([name]), addTo([name]))
    } catch (error) {
      reportFailure('remove the role', error)
    }
    setRemoved(undefined)
  }

  return (
    <Card
      title="Member roles"
      description={`Inherited by ${formatCount(group.memberCount, ['member', 'members'])}, not by owners.`}
      action={<AddRoles existing={group.roles} onAdd={add} />}
    >
      {group.roles.length === 0 && (
        <Empty kind="nothing yet" title="No roles yet">
          Add a role to give it to every member, now and later.
        </Empty>
      )}
      <CardRows>
        {group.roles.map((name) => (
          <CardRow
            key={name}
            picture={<ObjectIcon kind="role" size={32} />}
            name={
              <Link
                to="/admin/roles/$name"
                params={{ name }}
                className="font-mono text-[13px] font-[560] hover:underline"
              >
                {name}
              </Link>
            }
            detail={descriptions.get(name)}
            aside={
              <Button isSmall isBusy={removed === name} aria-label={`Remove ${name}`} onClick={() => void remove(name)}>
                Remove
              </Button>
            }
          />
        ))}
      </CardRows>
      {dialog}
    </Card>
  )
}

const edited = (group: Group, edit: EditRoles): Group => ({ ...group, roles: edit(group.roles) })
