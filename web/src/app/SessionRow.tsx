import type { Session } from '@passport/contract/accounts'
import { Laptop, Smartphone } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Tag } from '../ui/Tag.tsx'
import { useProviderName } from './provider-names.ts'

interface SessionRowProps {
  session: Omit<Session, 'current'>
  /** Whether this is the session of the current browser, which is ended by signing out. */
  isCurrent?: boolean
  isBusy: boolean
  onEnd: () => void
}

/** A session with its browser. */
export function SessionRow({ session, isCurrent = false, isBusy, onEnd }: SessionRowProps) {
  const { userAgent, ip, idp, createdAt, lastSeenAt } = session
  const nameOf = useProviderName()
  const Icon = userAgent.device === 'mobile' || userAgent.device === 'tablet' ? Smartphone : Laptop
  const browserName = [userAgent.browser, userAgent.os].filter(Boolean).join(' on ')
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <Icon size={18} strokeWidth={1.75} className="shrink-0 text-ink3" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-[600]">
          {browserName} {isCurrent && <Tag>This device</Tag>}
        </p>
        <p className="text-ink2">
          {ip} · {nameOf(idp)}
        </p>
      </div>
      <p className="text-[13px] text-ink3">
        Signed in <RelativeTime at={createdAt} inSentence />, last seen <RelativeTime at={lastSeenAt} inSentence />
      </p>
      {!isCurrent && (
        <Button isSmall variant="danger" isBusy={isBusy} onClick={onEnd} aria-label={`End session in ${browserName}`}>
          End
        </Button>
      )}
    </li>
  )
}
