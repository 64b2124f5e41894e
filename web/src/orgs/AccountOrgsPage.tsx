import { Link } from '@tanstack/react-router'
import { AccountHead } from '../app/AccountHead.tsx'
import { useCurrentUser } from '../app/page-user.ts'
import { formatCount } from '../directory/total.ts'
import { buttonClass } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { capitalize } from '../ui/capitalize.ts'
import { Empty } from '../ui/Empty.tsx'
import { ObjectIcon } from '../ui/ObjectIcon.tsx'
import { Tag } from '../ui/Tag.tsx'
import { LeaveButton } from './LeaveButton.tsx'

/** The user's organisations; those they manage link to their pages. */
export function AccountOrgsPage() {
  const orgs = useCurrentUser()?.orgs ?? []
  return (
    <div>
      <AccountHead />
      <div className="cols">
        <Card title={orgs.length === 0 ? 'Organisations' : formatCount(orgs.length, ['organisation', 'organisations'])}>
          {orgs.length === 0 && (
            <Empty kind="nothing yet" title="No organisations yet">
              An owner or admin can add you, or send you a join link.
            </Empty>
          )}
          <ul>
            {orgs.map((org) => (
              <li
                key={org.id}
                className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-hair px-4 py-2.5 first:border-0 sm:px-[18px]"
              >
                <ObjectIcon kind="org" size={32} />
                <p className="flex min-w-0 flex-1 basis-40 flex-wrap items-center gap-x-3 gap-y-1 font-[580] break-words">
                  {org.name} <Tag>{capitalize(org.role)}</Tag>
                </p>
                {org.role === 'member' ? (
                  <LeaveButton org={org} />
                ) : (
                  <Link
                    to="/account/orgs/$orgId"
                    params={{ orgId: org.id }}
                    className={buttonClass('plain', true)}
                    aria-label={`Manage ${org.name}`}
                  >
                    Manage
                  </Link>
                )}
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </div>
  )
}
