import { getUserAccess, setUserRoles, type User, type UserAccess } from '@passport/contract/users'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, failureOf, query } from '../app/api.ts'
import { queryClient } from '../app/query-client.ts'
import { searchRoles } from '../directory/find-records.ts'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Moment } from '../ui/Moment.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { Tag } from '../ui/Tag.tsx'
import { toast } from '../ui/toast.ts'
import { undoToast } from '../ui/undo-toast.ts'
import { nameOf } from './names.ts'
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
      <Card title="Groups" about="Owners run a group; only members have what it gives.">
        <Lines none="In no group.">
          {data.groups.map(({ id, name, memberSince, ownerSince, roles }) => (
            <Line
              key={id}
              name={
                <Link to="/admin/groups/$groupId" params={{ groupId: id }} className="link">
                  {name}
                </Link>
              }
              why={
                <>
                  {memberSince && (
                    <>
                      member since <Moment at={memberSince} />
                    </>
                  )}
                  {memberSince && ownerSince && ', '}
                  {ownerSince && (
                    <>
                      owner since <Moment at={ownerSince} />
                    </>
                  )}
                  {memberSince && roles.length > 0 && ` · gives ${roles.join(', ')}`}
                </>
              }
            />
          ))}
        </Lines>
      </Card>
      <Card title="Organisations">
        <Lines none="In no organisation.">
          {data.orgs.map(({ id, name, role, since }) => (
            <Line
              key={id}
              name={
                <Link to="/admin/orgs/$orgId" params={{ orgId: id }} className="link">
                  {name}
                </Link>
              }
              why={
                <>
                  {role} since <Moment at={since} />
                </>
              }
            />
          ))}
        </Lines>
      </Card>
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
            why={sources.map((source, at) => (
              <span key={source.kind === 'group' ? source.group.id : 'direct'}>
                {at > 0 && ', and '}
                {source.kind === 'direct' ? (
                  <>
                    given{source.by && ` by ${source.by.name}`} <Moment at={source.since} />
                  </>
                ) : (
                  <>
                    by the group{' '}
                    <Link to="/admin/groups/$groupId" params={{ groupId: source.group.id }} className="link">
                      {source.group.name}
                    </Link>{' '}
                    <Moment at={source.since} />
                  </>
                )}
              </span>
            ))}
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

function Lines({ none, children }: { none: string; children: ReactNode[] }) {
  if (children.length === 0) return <p className="px-5 pb-5 text-ink2">{none}</p>
  return <ul className="px-5 pb-2">{children}</ul>
}

function Line({ name, why, action }: { name: ReactNode; why: ReactNode; action?: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-[560] break-words">{name}</p>
        <p className="text-ink2">{why}</p>
      </div>
      {action}
    </li>
  )
}
