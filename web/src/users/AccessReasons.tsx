import type { UserAccess } from '@passport/contract/users'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../ui/Card.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Tag } from '../ui/Tag.tsx'

/** The target of the links: the administrators' pages or the user's own. */
type Area = 'admin' | 'account'
type RoleSources = UserAccess['roles'][number]['sources']

function AccessList({ emptyText, children }: { emptyText: string; children: ReactNode[] }) {
  if (children.length === 0) return <p className="px-4 pb-[18px] sm:px-[18px] text-ink2">{emptyText}</p>
  return <ul className="px-4 pb-2 sm:px-[18px]">{children}</ul>
}

interface AccessItemProps {
  /** An `ObjectIcon` of 32 px. */
  picture: ReactNode
  name: ReactNode
  reason: ReactNode
}

/** An item of a user's access and its reason. */
function AccessItem({ picture, name, reason }: AccessItemProps) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-hair py-3">
      {picture}
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-[560] break-words">{name}</p>
        <p className="text-ink2 first-letter:uppercase">{reason}</p>
      </div>
    </li>
  )
}

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
        <AccessList emptyText="No groups">
          {groups.map(({ id, name, memberSince, ownerSince, roles }) => (
            <AccessItem
              key={id}
              picture={<ObjectIcon kind="group" size={32} />}
              name={<GroupLink id={id} name={name} area={area} />}
              reason={
                <>
                  {memberSince && (
                    <>
                      added as a member <RelativeTime at={memberSince} inSentence />
                    </>
                  )}
                  {memberSince && ownerSince && ', '}
                  {ownerSince && (
                    <>
                      added as an owner <RelativeTime at={ownerSince} inSentence />
                    </>
                  )}
                  {memberSince && roles.length > 0 && ` · inherits ${roles.join(', ')}`}
                </>
              }
            />
          ))}
        </AccessList>
      </Card>
      <Card title="Organisations">
        <AccessList emptyText="No organisations">
          {orgs.map(({ id, name, role, since }) => (
            <AccessItem
              key={id}
              picture={<ObjectIcon kind="org" size={32} />}
              name={<OrgName id={id} name={name} role={role} area={area} />}
              reason={
                <>
                  {role}, added <RelativeTime at={since} inSentence />
                </>
              }
            />
          ))}
        </AccessList>
      </Card>
    </>
  )
}

function GroupLink({ id, name, area }: { id: string; name: string; area: Area }) {
  const to = area === 'admin' ? '/admin/groups/$groupId' : '/account/groups/$groupId'
  return (
    <Link to={to} params={{ groupId: id }} className="hover:underline">
      {name}
    </Link>
  )
}

/** In the account, only organisations managed by the user have a page. */
function OrgName({ id, name, role, area }: { id: string; name: string; role: string; area: Area }) {
  if (area === 'account' && role === 'member') return name
  const to = area === 'admin' ? '/admin/orgs/$orgId' : '/account/orgs/$orgId'
  return (
    <Link to={to} params={{ orgId: id }} className="hover:underline">
      {name}
    </Link>
  )
}
