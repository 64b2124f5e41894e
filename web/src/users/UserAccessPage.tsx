import { getUserAccess, setUserRoles, type User, type UserAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { searchRoles } from '../directory/find-records.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { GroupsAndOrgs, Line, Lines, RoleReasons } from './AccessReasons.tsx'
import { nameOf } from './names.ts'
import { PermissionsCard } from './PermissionsCard.tsx'
import { UserFrame } from './UserFrame.tsx'

/** What a person may do and belongs to, and why. */
export function UserAccessPage() {
  return <UserFrame>{(user) => <Access user={user} />}</UserFrame>
}

function Access({ user }: { user: User }) {
  const { data, error, refetch } = useQuery(query(getUserAccess, { params: { userId: user.id } }))
  if (error) return <ErrorCard failure={failureOf(error)} onRetry={() => void refetch()} />
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
  const params = { userId: user.id }
  const name = nameOf(user)

  async function set(roles: string[], said: string, action: string) {
    setBusy(true)
    try {
      const send = (query: object) => call(setUserRoles, { params, query, body: { roles } })
      const done = await change(send, { title: `Change the roles of ${name}?`, action })
      if (done) {
        setPicked([])
        const undo = () => call(setUserRoles, { params, query: {}, body: { roles: user.roles } })
        void undoToast(
          said,
          () => undo().then(refresh),
          (error) => failureOf(error).detail,
        )
      }
    } catch (error) {
      void toast({ type: 'error', content: `Not changed: ${failureOf(error).detail}` })
    }
    setBusy(false)
    refresh()
  }
  const add = () =>
    set(
      [...user.roles, ...picked.map(({ id }) => id)],
      `${name} has ${picked.map(({ name }) => name).join(', ')}`,
      'Give',
    )
  const taken = (found: Pickable[]) =>
    found.map((role) => (user.roles.includes(role.id) ? { ...role, taken: 'Has it already' } : role))

  return (
    <Card title="Roles" about="Whatever gives a role, it is the same role.">
      <Lines none="No roles.">
        {access.roles.map(({ name: role, sources }) => (
          <Line
            key={role}
            name={<Tag>{role}</Tag>}
            why={<RoleReasons sources={sources} area="admin" />}
            action={
              sources.some(({ kind }) => kind === 'direct') && (
                <Button
                  isSmall
                  look="danger"
                  isBusy={isBusy}
                  aria-label={`Take ${role}`}
                  onClick={() =>
                    void set(
                      user.roles.filter((one) => one !== role),
                      `${role} is taken from ${name}`,
                      'Take',
                    )
                  }
                >
                  Take
                </Button>
              )
            }
          />
        ))}
      </Lines>
      <div className="flex flex-wrap items-end gap-3 border-t border-line px-5 py-4">
        <div className="min-w-0 flex-1 basis-64">
          <Picker
            label="Give roles"
            placeholder="Name of a role"
            search={async (text, signal) => taken(await searchRoles(text, signal))}
            picked={picked}
            onPick={setPicked}
          />
        </div>
        <Button look="primary" isBusy={isBusy} disabled={picked.length === 0} onClick={() => void add()}>
          Give
        </Button>
      </div>
      {dialog}
    </Card>
  )
}

const refresh = () => void queryClient.invalidateQueries()
