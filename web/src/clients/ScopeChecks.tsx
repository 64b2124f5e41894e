import { clientScopes, includesAdminScope } from '@passport/contract/endpoint'
import { ShieldAlert } from 'lucide-react'
import type { ComponentProps } from 'react'
import { Check } from '../ui/Check.tsx'

const adminChoices = [
  { scope: 'passport.admin.read', can: 'Reads all users, settings and the audit log' },
  { scope: 'passport.admin', can: 'Also changes and deletes them, like an administrator' },
] as const

interface ScopeChecksProps {
  /** The form's field. */
  field: ComponentProps<'input'>
  chosen: readonly string[]
  /** Only a service can have the scopes for administration. */
  isService: boolean
}

/** The scopes of an application, with those for administration in a box of their own. */
export function ScopeChecks({ field, chosen, isService }: ScopeChecksProps) {
  return (
    <>
      <div className="grid gap-x-6 sm:flex">
        {clientScopes
          .filter((scope) => !includesAdminScope([scope]))
          .map((scope) => (
            <Check key={scope} value={scope} {...field}>
              <code className="font-mono text-[13px]">{scope}</code>
            </Check>
          ))}
      </div>
      {(isService || includesAdminScope(chosen)) && (
        <div className="mt-2 rounded-ctl border border-line border-l-3 border-l-bad px-3.5 py-3">
          <p className="flex items-center gap-2 font-[560]">
            <ShieldAlert size={17} aria-hidden="true" className="shrink-0 text-bad" />
            Administration
          </p>
          <div className="mt-1.5 grid gap-1.5">
            {adminChoices.map(({ scope, can }) => (
              <Check key={scope} value={scope} {...field}>
                <span>
                  <code className="font-mono text-[13px]">{scope}</code>
                  <span className="block text-[13px] text-ink2">{can}</span>
                </span>
              </Check>
            ))}
          </div>
          <p className="mt-2 text-[13px] text-ink2">
            Anyone with its secret can do the same. Every call is in the audit log.{' '}
            <a className="link" href="/docs/administering-by-script">
              Limits
            </a>
          </p>
        </div>
      )}
    </>
  )
}
