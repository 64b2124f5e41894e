import type { RoleMember } from '@passport/contract/roles'
import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** Shows why a user has a role: who granted it and when, and the groups that grant it. */
export function MemberSource({ member: { direct, groups } }: { member: Pick<RoleMember, 'direct' | 'groups'> }) {
  return (
    <span className="grid gap-0.5">
      {direct && (
        <span>
          Added by {direct.by?.name ?? 'Passport'}, <RelativeTime at={direct.since} inSentence />
        </span>
      )}
      {groups.length > 0 && (
        <span>
          Through {groups.length === 1 ? 'group' : 'groups'}{' '}
          {groups.map(({ id, name }, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
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
