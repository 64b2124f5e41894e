import { Building2, type LucideIcon, Search, User, Users } from 'lucide-react'
import { Card } from '../ui/Card.tsx'

const permissions: [Icon: LucideIcon, what: string, name: string][] = [
  [User, 'Sign users in and read their profile', 'openid, profile, email'],
  [Building2, "Read the tenant's name and domains", 'Organization.Read.All'],
  [Users, 'Read group memberships', 'GroupMember.Read.All, User.ReadBasic.All'],
  [Search, "Read other tenants' names, if configured", 'CrossTenantInformation.ReadBasic.All'],
]

/** What a tenant is asked to allow. */
export function Permissions({ name }: { name: string }) {
  return (
    <Card title={`What ${name} is asked to allow`}>
      <ul className="grid gap-2.5 px-4 pt-1 pb-3 sm:px-[18px]">
        {permissions.map(([Icon, what, name]) => (
          <li key={name} className="flex items-center gap-3">
            <span
              aria-hidden="true"
              className="grid size-8 shrink-0 place-items-center rounded-lg bg-selection text-stamp"
            >
              <Icon size={16} strokeWidth={1.75} />
            </span>
            <span className="min-w-0 leading-snug">
              <span className="block">{what}</span>
              <span className="block font-mono text-[12px] text-ink3">{name}</span>
            </span>
          </li>
        ))}
      </ul>
      <p className="px-4 pb-4 text-[13px] text-ink2 sm:px-[18px]">Passport can't change anything in the directory.</p>
    </Card>
  )
}
