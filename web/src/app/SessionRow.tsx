import type { Session } from '@passport/contract/accounts'
import { Monitor, TabletSmartphone } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { formatRelative, lowerFirst, RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'

interface SessionRowProps {
  session: Omit<Session, 'current'>
  /** The session that was used last. */
  isLatest?: boolean
  /** The session of the current browser has no button: it is ended by signing out. */
  isCurrent?: boolean
  onEnd: () => void
}

/** Says that a session was ended, and how many personal tokens from its browser still work. */
export const describeEnd = (personalTokensLeft: number): string =>
  personalTokensLeft === 0
    ? 'Session ended'
    : `Session ended. Personal tokens created in this browser still work: ${personalTokensLeft}`

/** A session with its browser, last use and place; the time of the sign-in is a tooltip. */
export function SessionRow({ session, isLatest = false, isCurrent = false, onEnd }: SessionRowProps) {
  const { userAgent, ip, idpName, createdAt, lastSeenAt } = session
  const Icon = ['mobile', 'tablet'].includes(userAgent.device) ? TabletSmartphone : Monitor
  const browserName = [userAgent.browser, userAgent.os].filter(Boolean).join(' on ')
  return (
    <li
      className="flex items-center gap-x-4 border-t border-hair py-2.5 first:border-0"
      title={`Signed in ${lowerFirst(formatRelative(createdAt))}`}
    >
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-lg bg-well text-ink2">
        <Icon size={17} strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-3 font-[560] [&_.whitespace-nowrap]:text-[13px] [&_.whitespace-nowrap]:font-normal">
          {browserName} {isCurrent && <Status tone="ok">This device</Status>}
          {isLatest && <Status tone="ok">Latest</Status>}
        </p>
        <p className="text-[13px] text-ink2">
          Last seen <RelativeTime at={lastSeenAt} inSentence /> · {ip}
          <span className="max-sm:hidden"> · via {idpName}</span>
        </p>
      </div>
      {!isCurrent && (
        <Button isSmall onClick={onEnd} aria-label={`End session in ${browserName}`}>
          End
        </Button>
      )}
    </li>
  )
}
