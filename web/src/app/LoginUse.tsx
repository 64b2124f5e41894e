import type { LinkedLogin } from '@passport/contract/accounts'
import { formatRelative, lowerFirst, RelativeTime } from '../ui/RelativeTime.tsx'

/** Shows when a login was last used; when it was linked is a tooltip. */
export function LoginUse({ login: { linkedAt, lastUsedAt } }: { login: Pick<LinkedLogin, 'linkedAt' | 'lastUsedAt'> }) {
  return (
    <p
      className="text-[13px] whitespace-nowrap text-ink3 max-sm:flex-1 max-sm:pl-12"
      title={`Linked ${lowerFirst(formatRelative(linkedAt))}`}
    >
      {lastUsedAt ? 'Last used ' : 'Linked '}
      <RelativeTime at={lastUsedAt ?? linkedAt} inSentence />
    </p>
  )
}
