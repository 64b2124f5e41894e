import type { LinkedLogin } from '@passport/contract/accounts'
import { RelativeTime } from '../ui/RelativeTime.tsx'

/** Shows when a login was linked and last used. */
export function LoginUse({ login: { linkedAt, lastUsedAt } }: { login: Pick<LinkedLogin, 'linkedAt' | 'lastUsedAt'> }) {
  return (
    <p className="text-[13px] text-ink3">
      Linked <RelativeTime at={linkedAt} inSentence />
      {lastUsedAt && (
        <>
          , last used <RelativeTime at={lastUsedAt} inSentence />
        </>
      )}
    </p>
  )
}
