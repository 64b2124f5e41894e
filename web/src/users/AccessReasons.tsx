import type { UserAccess } from '@passport/contract/users'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Card } from '../ui/Card.tsx'
import { Moment } from '../ui/Moment.tsx'

/** Where the links lead: to the pages of administrators, or to one's own. */
type Area = 'admin' | 'account'
type RoleSources = UserAccess['roles'][number]['sources']

export function Lines({ none, children }: { none: string; children: ReactNode[] }) {
  if (children.length === 0) return <p className="px-5 pb-5 text-ink2">{none}</p>
  return <ul className="px-5 pb-2">{children}</ul>
}

/** One thing that somebody has, and why. */
export function Line({ name, why, action }: { name: ReactNode; why: ReactNode; action?: ReactNode }) {
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

/** What gives somebody a role, and since when: “given by Ada 3 days ago, and through the group Keepers”. */
export function RoleReasons({ sources, area }: { sources: RoleSources; area: Area }) {
  return sources.map((source, at) => (
    <span key={source.kind === 'group' ? source.group.id : 'direct'}>
      {at > 0 && ', and '}
      {source.kind === 'direct' ? (
        <>
          given{source.by && ` by ${source.by.name}`} <Moment at={source.since} />
        </>
      ) : (
        <>
          through the group <GroupLink {...source.group} area={area} /> <Moment at={source.since} />
        </>
      )}
    </span>
  ))
}

/** The groups and the organisations of somebody, and since when. */
export function GroupsAndOrgs({ access: { groups, orgs }, area }: { access: UserAccess; area: Area }) {
  return (
    <>
      <Card title="Groups" about="Owners run a group; only members have what it gives.">
        <Lines none="In no group.">
          {groups.map(({ id, name, memberSince, ownerSince, roles }) => (
            <Line
              key={id}
              name={<GroupLink id={id} name={name} area={area} />}
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
          {orgs.map(({ id, name, role, since }) => (
            <Line
              key={id}
              name={<OrgName id={id} name={name} role={role} area={area} />}
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

function GroupLink({ id, name, area }: { id: string; name: string; area: Area }) {
  const to = area === 'admin' ? '/admin/groups/$groupId' : '/account/groups/$groupId'
  return (
    <Link to={to} params={{ groupId: id }} className="link">
      {name}
    </Link>
  )
}

/** Of one's own organisations only those that one runs have a page. */
function OrgName({ id, name, role, area }: { id: string; name: string; role: string; area: Area }) {
  if (area === 'account' && role === 'member') return name
  const to = area === 'admin' ? '/admin/orgs/$orgId' : '/account/orgs/$orgId'
  return (
    <Link to={to} params={{ orgId: id }} className="link">
      {name}
    </Link>
  )
}
