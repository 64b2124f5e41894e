import { UserRound } from 'lucide-react'
import { Avatar } from '../ui/Avatar.tsx'
import { Status } from '../ui/Status.tsx'
import { Tag } from '../ui/Tag.tsx'

interface NewUserCardProps {
  name: string
  email: string
  username?: string
  roles: readonly string[]
  /** The name and the role of an organisation. */
  org?: { name: string; role: string } | undefined
}

/** The user of a form as the directory will show them, in its rail. */
export function NewUserCard({ name, email, username, roles, org }: NewUserCardProps) {
  const title = name.trim() || email.trim() || 'New user'
  const facts = [name.trim() && email.trim(), username?.trim() && `@${username.trim()}`].filter(Boolean)
  const isEmpty = title === 'New user'
  return (
    <section aria-label="Preview" className="card p-4 max-nav:hidden sm:p-[18px]">
      <div className="flex items-center gap-3.5">
        {isEmpty ? (
          <span className="grid size-12 shrink-0 place-items-center rounded-full border border-dashed border-edge text-ink3">
            <UserRound size={20} aria-hidden="true" />
          </span>
        ) : (
          // The colour follows the first letters, so that it does not flicker while the name is typed.
          <Avatar id={title.slice(0, 2)} name={title} size={48} />
        )}
        <div className="min-w-0">
          <p className={`truncate text-[15px] font-[620] ${isEmpty ? 'text-ink3' : ''}`}>{title}</p>
          <p className="truncate text-[13px] text-ink2">
            {facts.length > 0 ? facts.join(' · ') : <Status tone="warn">Invited</Status>}
          </p>
        </div>
      </div>
      {(facts.length > 0 || roles.length > 0 || org) && (
        <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1.5 text-[13px] text-ink2">
          {facts.length > 0 && <Status tone="warn">Invited</Status>}
          {org && (
            <span>
              {org.name}, {org.role}
            </span>
          )}
          {roles.map((role) => (
            <Tag key={role}>{role}</Tag>
          ))}
        </p>
      )}
    </section>
  )
}
