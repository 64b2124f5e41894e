import type { Session } from '@passport/contract/accounts'
import { Laptop, type LucideIcon, Smartphone, Tablet } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Status } from '../ui/Status.tsx'
import { useProviderName } from './provider-names.ts'

interface SessionRowProps {
  session: Omit<Session, 'current'>
  /** The session that was used last. */
  isLatest?: boolean
  /** The session of the current browser has no button: it is ended by signing out. */
  isCurrent?: boolean
  onEnd: () => void
}

const deviceIcons: Record<string, LucideIcon> = { mobile: Smartphone, tablet: Tablet }

/** A session with its browser, place and times. */
export function SessionRow({ session, isLatest = false, isCurrent = false, onEnd }: SessionRowProps) {
  const { userAgent, ip, idp, createdAt, lastSeenAt } = session
  const nameOf = useProviderName()
  const Icon = deviceIcons[userAgent.device] ?? Laptop
  const browserName = [userAgent.browser, userAgent.os].filter(Boolean).join(' on ')
  return (
    <li className="flex items-center gap-x-4 border-t border-hair py-2.5 first:border-0">
      <span aria-hidden="true" className="grid size-8 shrink-0 place-items-center rounded-lg bg-well text-ink2">
        <Icon size={17} strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-3 font-[560] [&_.whitespace-nowrap]:text-[13px] [&_.whitespace-nowrap]:font-normal">
          {browserName} {isCurrent && <Status tone="ok">This device</Status>}
          {isLatest && <Status tone="ok">Latest</Status>}
        </p>
        <p className="text-[13px] text-ink2">
          Last seen <RelativeTime at={lastSeenAt} inSentence />
          <span className="text-ink3">
            {' '}
            · signed in <RelativeTime at={createdAt} inSentence /> via {nameOf(idp)} · {ip}
          </span>
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
