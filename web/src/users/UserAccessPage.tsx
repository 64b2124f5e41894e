import { getUser, getUserAccess, setUserRoles, type User, type UserAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { editResponse } from '../app/optimistic-update.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { queryClient } from '../app/query-client.ts'
import { AddRoles } from '../directory/AddRecords.tsx'
import { type Confirmation, usePreview } from '../directory/use-preview.tsx'
import { nameOf } from '../directory/user-names.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Empty } from '../ui/Empty.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { GroupsAndOrgs, RolePaths } from './AccessReasons.tsx'
import { UserFrame } from './UserFrame.tsx'
import { UserPermissionsSection } from './UserPermissionsSection.tsx'

/** A user's roles, groups, organisations and permissions, with reasons. */
export function UserAccessPage() {
  return (
    <UserFrame hasOrgsInRail rail={(user) => <Memberships userId={user.id} />}>
      {(user) => <Access user={user} />}
    </UserFrame>
  )
}

function Access({ user }: { user: User }) {
  const { data, error, refetch } = useQuery(query(getUserAccess, { params: { userId: user.id } }))
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label="Loading access" rows={4} />
  return (
    <>
      <Roles user={user} access={data} />
      <UserPermissionsSection userId={user.id} />
    </>
  )
}

function Memberships({ userId }: { userId: string }) {
  const { data } = useQuery(query(getUserAccess, { params: { userId } }))
  return data && <GroupsAndOrgs access={data} area="admin" />
}

function Roles({ user, access }: { user: User; access: UserAccess }) {
  const { change, dialog } = usePreview()
  const [removed, setRemoved] = useState<string>()
  const me = useCurrentUser()
  const params = { userId: user.id }
  const name = nameOf(user)

  /** Resolves with false if it was cancelled. */
  async function setRoles(roles: string[], confirmation: Confirmation, message: string): Promise<boolean> {
    const send = (query: object) => call(setUserRoles, { params, query, body: { roles } })
    const by = me && { id: me.claims.sub, name: me.claims.name ?? 'you' }
    const newGrant: Grant = { kind: 'direct', since: new Date().toISOString(), by }
    const edits = [
      editResponse(getUser, { params }, (user) => ({ ...user, roles })),
      editResponse(getUserAccess, { params }, (access) => ({
        ...access,
        roles: setDirectRoles(access.roles, roles, newGrant),
      })),
    ]
    try {
      const result = await change(send, confirmation, { edits })
      if (result) {
        const undo = () => call(setUserRoles, { params, query: {}, body: { roles: user.roles } })
        reportWithUndo(message, () => undo().then(refresh))
      }
      return result !== undefined
    } finally {
      refresh()
    }
  }
  const add = (picked: Pickable[]) =>
    setRoles(
      [...user.roles, ...picked.map(({ id }) => id)],
      { title: `Add roles to ${name}?`, action: 'Add', isOneUser: true },
      `${picked.map(({ name }) => name).join(', ')} added to ${name}`,
    )
  async function remove(role: string) {
    setRemoved(role)
    try {
      await setRoles(
        user.roles.filter((existing) => existing !== role),
        { title: `Remove ${role} from ${name}?`, action: 'Remove', isOneUser: true },
        `${role} removed from ${name}`,
      )
    } catch (error) {
      reportFailure('remove the role', error)
    }
    setRemoved(undefined)
  }

  return (
    <Card title="Roles" action={<AddRoles existing={user.roles} onAdd={add} />}>
      {access.roles.length === 0 && (
        <Empty kind="nothing yet" title="No roles">
          Add a role, or add {name} to a group that has one.
        </Empty>
      )}
      <ul>
        {access.roles.map(({ name: role, sources }) => (
          <RolePaths
            key={role}
            user={user}
            role={role}
            sources={sources}
            hasDates
            action={
              sources.some(({ kind }) => kind === 'direct') && (
                <Button
                  isSmall
                  isBusy={removed === role}
                  aria-label={`Remove ${role}`}
                  onClick={() => void remove(role)}
                >
                  Remove
                </Button>
              )
            }
          />
        ))}
      </ul>
      {dialog}
    </Card>
  )
}

const refresh = () => void queryClient.invalidateQueries()

type Role = UserAccess['roles'][number]
type Grant = Extract<Role['sources'][number], { kind: 'direct' }>

/** Replaces the direct roles; inherited roles stay. An added role has `newGrant` as its source. */
function setDirectRoles(roles: Role[], direct: string[], newGrant: Grant): Role[] {
  const names = new Set([...roles.map(({ name }) => name), ...direct])
  return [...names].flatMap((name) => {
    const sources = roles.find((role) => role.name === name)?.sources ?? []
    const inherited = sources.filter(({ kind }) => kind === 'group')
    const grant = sources.find(({ kind }) => kind === 'direct') ?? newGrant
    const remaining = direct.includes(name) ? [grant, ...inherited] : inherited
    return remaining.length > 0 ? [{ name, sources: remaining }] : []
  })
}
