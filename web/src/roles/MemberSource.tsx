import type { RoleMember } from '@passport/contract/roles'
import { Link } from '@tanstack/react-router'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'

/**
 * Shows the sources of a user's role: the direct assignment, with its author and date, and the groups that grant it.
 */
export function MemberSource({ member: { direct, groups } }: { member: Pick<RoleMember, 'direct' | 'groups'> }) {
  return (
    <span className="flex min-w-0 items-center gap-x-3">
      {direct && (
        <span title={`Added by ${direct.by?.name ?? 'Passport'}, ${new Date(direct.since).toLocaleString('en')}`}>
          Direct
        </span>
      )}
      {groups.map(({ id, name }) => (
        <span key={id} className="inline-flex min-w-0 items-center gap-1.5">
          <ObjectIcon kind="group" size={20} />
          <span className="sr-only">Through group</span>
          {/* Above the link that covers the row. */}
          <Link
            to="/admin/groups/$groupId"
            params={{ groupId: id }}
            className="relative z-[1] min-w-0 truncate hover:underline"
          >
            {name}
          </Link>
        </span>
      ))}
    </span>
  )
}
