import type { UserAccess } from '@passport/contract/users'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { CardRow, CardRows, CardText } from '../directory/CardRows.tsx'
import { Card } from '../ui/Card.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Tag } from '../ui/Tag.tsx'

/** The target of the links: the administrators' pages or the user's own. */
type Area = 'admin' | 'account'
type RoleSources = UserAccess['roles'][number]['sources']

interface RoleRowProps {
  role: string
  sources: RoleSources
  /** Shows when the role was assigned, and the user who did it. */
  hasDates?: true
  /** A button. */
  action?: ReactNode
}

/** A role of a user, for administrators: “Direct” or the groups that grant it. */
export function RoleRow({ role, sources, hasDates, action }: RoleRowProps) {
  const direct = sources.find((source) => source.kind === 'direct')
  const groups = sources.flatMap((source) => (source.kind === 'group' ? [source.group] : []))
  const since = direct?.since ?? sources[0]?.since
  return (
    <li className="flex min-h-[46px] flex-wrap items-center gap-x-4 gap-y-1 border-t border-hair px-4 py-1.5 sm:px-[18px]">
      <Link to="/admin/roles/$name" params={{ name: role }} className="flex min-w-0 hover:underline sm:basis-[170px]">
        <Tag>{role}</Tag>
      </Link>
      <span className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-x-1.5">
        {direct && (groups.length > 0 ? 'Direct and' : 'Direct')}
        {groups.length > 0 && <span className="text-ink2">via</span>}
        {groups.map(({ id, name }, index) => (
          <span key={id} className="min-w-0">
            <Link
              to="/admin/groups/$groupId"
              params={{ groupId: id }}
              className="font-[560] break-words hover:underline"
            >
              {name}
            </Link>
            {index < groups.length - 1 && ','}
          </span>
        ))}
      </span>
      {hasDates && since && (
        <span className="text-[13px] text-ink3">
          {direct ? `Added by ${direct.by?.name ?? 'Passport'},` : 'Since'} <RelativeTime at={since} inSentence />
        </span>
      )}
      {action && <span className="ml-auto sm:ml-0">{action}</span>}
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
                      Member, added <RelativeTime at={memberSince} inSentence />
                    </>
                  )}
                  {memberSince && ownerSince && ' · '}
                  {ownerSince && (
                    <>
                      Owner, added <RelativeTime at={ownerSince} inSentence />
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
                  {capitalize(role)}, added <RelativeTime at={since} inSentence />
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
