import type { Session } from '@passport/contract/accounts'
import { Laptop, Smartphone } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { Moment } from '../ui/Moment.tsx'
import { Tag } from '../ui/Tag.tsx'
import { useProviderName } from './provider-names.ts'

interface SessionRowProps {
  session: Omit<Session, 'current'>
  /** It is the browser that shows this, whose session ends by signing out. */
  isHere?: boolean
  isBusy: boolean
  onEnd: () => void
}

/** A browser in which somebody is signed in. */
export function SessionRow({ session, isHere = false, isBusy, onEnd }: SessionRowProps) {
  const { userAgent, ip, idp, createdAt, lastSeenAt } = session
  const nameOf = useProviderName()
  const Icon = userAgent.device === 'mobile' || userAgent.device === 'tablet' ? Smartphone : Laptop
  const program = [userAgent.browser, userAgent.os].filter(Boolean).join(' on ')
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line py-3">
      <Icon size={18} strokeWidth={1.75} className="shrink-0 text-ink3" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="flex flex-wrap items-center gap-2 font-[600]">
          {program} {isHere && <Tag>this device</Tag>}
        </p>
        <p className="text-ink2">
          {ip}, through {nameOf(idp)}
        </p>
      </div>
      <p className="text-[13px] text-ink3">
        signed in <Moment at={createdAt} />, seen <Moment at={lastSeenAt} />
      </p>
      {!isHere && (
        <Button isSmall look="danger" isBusy={isBusy} onClick={onEnd} aria-label={`End the session of ${program}`}>
          End
        </Button>
      )}
    </li>
  )
}
