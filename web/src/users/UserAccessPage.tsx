import { getUser, getUserAccess, setUserRoles, type User, type UserAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, query, toFailure } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { useDraft } from '../app/drafts.ts'
import { reportFailure, reportWithUndo } from '../app/messages.ts'
import { editResponse } from '../app/optimistic-update.ts'
import { useCurrentUser } from '../app/page-user.ts'
import { queryClient } from '../app/query-client.ts'
import { CardText } from '../directory/CardRows.tsx'
import { searchRoles } from '../directory/find-records.ts'
import { type Confirmation, usePreview } from '../directory/use-preview.tsx'
import { nameOf } from '../directory/user-names.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { GroupsAndOrgs, RoleRow } from './AccessReasons.tsx'
import { PermissionsCard } from './PermissionsCard.tsx'
import { UserFrame } from './UserFrame.tsx'

/** A user's roles, groups, organisations and permissions, with reasons. */
export function UserAccessPage() {
  return <UserFrame>{(user) => <Access user={user} />}</UserFrame>
}

function Access({ user }: { user: User }) {
  const { data, error, refetch } = useQuery(query(getUserAccess, { params: { userId: user.id } }))
  if (error) return <ErrorCard failure={toFailure(error)} onRetry={() => void refetch()} />
  if (!data) return <Skeleton label="Loading access" rows={4} />
  return (
    <>
      <Roles user={user} access={data} />
      <GroupsAndOrgs access={data} area="admin" />
      <PermissionsCard userId={user.id} />
    </>
  )
}

function Roles({ user, access }: { user: User; access: UserAccess }) {
  const { change, dialog } = usePreview()
  const [picked, setPicked] = useState<Pickable[]>([])
  const [isBusy, setBusy] = useState(false)
  const me = useCurrentUser()
  const draft = useDraft('roles', () => (picked.length > 0 ? picked : undefined), setPicked)
  const params = { userId: user.id }
  const name = nameOf(user)

  async function setRoles(roles: string[], confirmation: Confirmation, message: string) {
    setBusy(true)
    try {
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
      const result = await change(send, confirmation, { edits })
      if (result) {
        setPicked([])
        const undo = () => call(setUserRoles, { params, query: {}, body: { roles: user.roles } })
        reportWithUndo(message, () => undo().then(refresh))
      }
    } catch (error) {
      reportFailure('change the roles', error)
    }
    setBusy(false)
    refresh()
  }
  const add = () =>
    setRoles(
      [...user.roles, ...picked.map(({ id }) => id)],
      { title: `Add roles to ${name}?`, action: 'Add', isOneUser: true },
      `${picked.map(({ name }) => name).join(', ')} added to ${name}`,
    )
  const markGranted = (results: Pickable[]) =>
    results.map((role) => (user.roles.includes(role.id) ? { ...role, disabledReason: 'Already added' } : role))

  return (
    <Card title="Roles">
      <DraftOffer draft={draft} />
      <div className="flex flex-wrap items-end gap-3 px-4 pt-1 pb-4 sm:px-[18px]">
        <div className="min-w-0 flex-1 basis-64">
          <Picker
            label="Add roles"
            placeholder="Role name"
            search={async (text, signal) => markGranted(await searchRoles(text, signal))}
            picked={picked}
            onPick={setPicked}
          />
        </div>
        <Button variant="primary" isBusy={isBusy} disabled={picked.length === 0} onClick={() => void add()}>
          Add
        </Button>
      </div>
      {access.roles.length === 0 && <CardText>No roles</CardText>}
      <ul>
        {access.roles.map(({ name: role, sources }) => (
          <RoleRow
            key={role}
            role={role}
            sources={sources}
            hasDates
            action={
              sources.some(({ kind }) => kind === 'direct') && (
                <Button
                  isSmall
                  isBusy={isBusy}
                  aria-label={`Remove ${role}`}
                  onClick={() =>
                    void setRoles(
                      user.roles.filter((existing) => existing !== role),
                      { title: `Remove ${role} from ${name}?`, action: 'Remove', isOneUser: true },
                      `${role} removed from ${name}`,
                    )
                  }
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
