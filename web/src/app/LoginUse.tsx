import type { LinkedLogin } from '@passport/contract/accounts'
import { Moment } from '../ui/Moment.tsx'

/** Since when a login is linked, and when somebody last came in by it. */
export function LoginUse({ login: { linkedAt, lastUsedAt } }: { login: Pick<LinkedLogin, 'linkedAt' | 'lastUsedAt'> }) {
  return (
    <p className="text-[13px] text-ink3">
      linked <Moment at={linkedAt} />
      {lastUsedAt && (
        <>
          , used <Moment at={lastUsedAt} />
        </>
      )}
    </p>
  )
}
