import type { UserAccess } from '@passport/contract/users'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../ui/Card.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** The target of the links: the administrators' pages or the user's own. */
type Area = 'admin' | 'account'
type RoleSources = UserAccess['roles'][number]['sources']

export function AccessList({ emptyText, children }: { emptyText: string; children: ReactNode[] }) {
  if (children.length === 0) return <p className="px-5 pb-5 text-ink2">{emptyText}</p>
  return <ul className="px-5 pb-2">{children}</ul>
}

/** An item of a user's access and its reason. */
export function AccessItem({ name, reason, action }: { name: ReactNode; reason: ReactNode; action?: ReactNode }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-3">
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-[560] break-words">{name}</p>
        <p className="text-ink2 first-letter:uppercase">{reason}</p>
      </div>
      {action}
    </li>
  )
}

/** The sources of a role with their dates: “added by Ada 3 days ago, and through group Keepers”. */
export function RoleReasons({ sources, area }: { sources: RoleSources; area: Area }) {
  return sources.map((source, index) => (
    <span key={source.kind === 'group' ? source.group.id : 'direct'}>
      {index > 0 && ', and '}
      {source.kind === 'direct' ? (
        <>
          added{source.by && ` by ${source.by.name}`} <RelativeTime at={source.since} inSentence />
        </>
      ) : (
        <>
          through group <GroupLink {...source.group} area={area} /> <RelativeTime at={source.since} inSentence />
        </>
      )}
    </span>
  ))
}

/** A user's groups and organisations, with the dates of joining. */
export function GroupsAndOrgs({ access: { groups, orgs }, area }: { access: UserAccess; area: Area }) {
  return (
    <>
      <Card title="Groups" description="Members inherit the roles of a group. Owners manage it.">
        <AccessList emptyText="No groups.">
          {groups.map(({ id, name, memberSince, ownerSince, roles }) => (
            <AccessItem
              key={id}
              name={<GroupLink id={id} name={name} area={area} />}
              reason={
                <>
                  {memberSince && (
                    <>
                      added as member <RelativeTime at={memberSince} inSentence />
                    </>
                  )}
                  {memberSince && ownerSince && ', '}
                  {ownerSince && (
                    <>
                      added as owner <RelativeTime at={ownerSince} inSentence />
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
        <AccessList emptyText="No organisations.">
          {orgs.map(({ id, name, role, since }) => (
            <AccessItem
              key={id}
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
    <Link to={to} params={{ groupId: id }} className="link">
      {name}
    </Link>
  )
}

/** In the account, only organisations managed by the user have a page. */
function OrgName({ id, name, role, area }: { id: string; name: string; role: string; area: Area }) {
  if (area === 'account' && role === 'member') return name
  const to = area === 'admin' ? '/admin/orgs/$orgId' : '/account/orgs/$orgId'
  return (
    <Link to={to} params={{ orgId: id }} className="link">
      {name}
    </Link>
  )
}
