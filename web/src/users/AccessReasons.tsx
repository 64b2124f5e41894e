import type { User, UserAccess } from '@passport/contract/users'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { AccessPath, type PathStep } from '../directory/AccessPath.tsx'
import { CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { nameOf } from '../directory/user-names.ts'
import { Card } from '../ui/Card.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** The target of the links: the administrators' pages or the user's own. */
type Area = 'admin' | 'account'
type RoleSources = UserAccess['roles'][number]['sources']

interface RolePathsProps {
  user: User
  role: string
  sources: RoleSources
  /** Shows when the role was assigned, and the user who did it. */
  hasDates?: true
  /** A button beside the direct assignment. */
  action?: ReactNode
}

/** A role of a user, for administrators: a path for each source, directly or through a group. */
export function RolePaths({ user, role, sources, hasDates, action }: RolePathsProps) {
  return sources.map((source) => (
    <RoleLine
      key={source.kind === 'group' ? source.group.id : ''}
      steps={listSteps(user, role, source)}
      date={
        hasDates && (
          <>
            {source.kind === 'direct' ? `Added by ${source.by?.name ?? 'Passport'},` : 'Since'}{' '}
            <RelativeTime at={source.since} inSentence />
          </>
        )
      }
      action={source.kind === 'direct' && action}
    />
  ))
}

const listSteps = (user: User, role: string, source: RoleSources[number]): PathStep[] => [
  { kind: 'user', id: user.id, name: nameOf(user) },
  ...(source.kind === 'group' ? [toGroupStep(source.group)] : []),
  { kind: 'role', id: role, name: role, link: { to: '/admin/roles/$name', params: { name: role } } },
]

const toGroupStep = ({ id, name }: { id: string; name: string }): PathStep => ({
  kind: 'group',
  id,
  name,
  link: { to: '/admin/groups/$groupId', params: { groupId: id } },
})

interface RoleLineProps {
  steps: PathStep[]
  date?: ReactNode
  action?: ReactNode
}

/** A path to a role. On a phone the date is on a line below it. */
export function RoleLine({ steps, date, action }: RoleLineProps) {
  return (
    <li className="flex min-h-[46px] items-center gap-x-4 border-t border-hair px-4 py-2 first:border-0 sm:px-[18px]">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
        <div className="min-w-0 flex-1 max-sm:basis-full">
          <AccessPath steps={steps} />
        </div>
        {date && <p className="shrink-0 text-[13px] text-ink3">{date}</p>}
      </div>
      {action}
    </li>
  )
}

/** A user's groups and organisations, with the dates of joining. */
export function GroupsAndOrgs({ access: { groups, orgs }, area }: { access: UserAccess; area: Area }) {
  return (
    <>
      <Card title="Groups">
        {groups.length === 0 && <CardText>No groups</CardText>}
        <CardRows>
          {groups.map(({ id, name, memberSince, ownerSince, roles }) => (
            <CardRow
              key={id}
              picture={<ObjectIcon kind="group" size={32} />}
              name={<GroupLink id={id} name={name} area={area} />}
              detail={
                <>
                  {memberSince && (
                    <>
                      Member since <RelativeTime at={memberSince} inSentence />
                    </>
                  )}
                  {memberSince && ownerSince && ', owner'}
                  {ownerSince && !memberSince && (
                    <>
                      Owner since <RelativeTime at={ownerSince} inSentence />
                    </>
                  )}
                </>
              }
              tags={memberSince ? roles : []}
            />
          ))}
        </CardRows>
      </Card>
      <Card title="Organisations">
        {orgs.length === 0 && <CardText>No organisations</CardText>}
        <CardRows>
          {orgs.map(({ id, name, role, since }) => (
            <CardRow
              key={id}
              picture={<ObjectIcon kind="org" size={32} />}
              name={<OrgName id={id} name={name} role={role} area={area} />}
              detail={
                <>
                  {capitalize(role)} since <RelativeTime at={since} inSentence />
                </>
              }
            />
          ))}
        </CardRows>
      </Card>
    </>
  )
}

function GroupLink({ id, name, area }: { id: string; name: string; area: Area }) {
  const to = area === 'admin' ? '/admin/groups/$groupId' : '/account/groups/$groupId'
  return (
    <Link to={to} params={{ groupId: id }} className="font-[560] hover:underline">
      {name}
    </Link>
  )
}

/** In the account, only organisations managed by the user have a page. */
function OrgName({ id, name, role, area }: { id: string; name: string; role: string; area: Area }) {
  if (area === 'account' && role === 'member') return <span className="font-[560]">{name}</span>
  const to = area === 'admin' ? '/admin/orgs/$orgId' : '/account/orgs/$orgId'
  return (
    <Link to={to} params={{ orgId: id }} className="font-[560] hover:underline">
      {name}
    </Link>
  )
}
