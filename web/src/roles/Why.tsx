import type { RoleMember } from '@passport/contract/roles'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { Moment } from '../ui/Moment.tsx'

/** What gives somebody a role: who gave it to them, or by which groups they have it, and since when. */
export function Why({ member: { direct, groups } }: { member: Pick<RoleMember, 'direct' | 'groups'> }) {
  return (
    <span className="grid gap-0.5">
      {direct && (
        <span>
          Given by {direct.by?.name ?? 'the installation'}, <Moment at={direct.since} />
        </span>
      )}
      {groups.length > 0 && (
        <span>
          By {groups.length === 1 ? 'the group' : 'the groups'}{' '}
          {groups.map(({ id, name }, at) => (
            <Fragment key={id}>
              {at > 0 && ', '}
              {/* Above the link that covers the row. */}
              <Link to="/admin/groups/$groupId" params={{ groupId: id }} className="link relative z-[1]">
                {name}
              </Link>
            </Fragment>
          ))}
        </span>
      )}
    </span>
  )
}
