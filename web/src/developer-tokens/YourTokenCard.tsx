import type { User } from '@passport/sign-in'
import { useId } from 'react'
import { Card } from '../ui/Card.tsx'
import { useNow } from '../ui/use-now.ts'
import { formatExpiry } from './format-time.ts'
import { MaskedToken } from './MaskedToken.tsx'

interface YourTokenCardProps {
  user: User
  token: string
  onClear: () => void
}

/** The token of this tab, its expiry and its owner. */
export function YourTokenCard({ user: { expires_at, profile }, token, onClear }: YourTokenCardProps) {
  const now = useNow()
  return (
    <Card
      title="Your Token"
      description="The token is cached in the browser and can be removed with Clear. Copies stay valid until it expires."
    >
      <div className="px-4 pt-1 pb-[18px] sm:px-[18px]">
        <MaskedToken token={token} onClear={onClear} />
        <div className="mt-5 grid gap-x-6 gap-y-3.5 border-t border-hair pt-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
          <Fact
            label="Expires At"
            value={expires_at === undefined ? '' : String(expires_at)}
            note={expires_at ? formatExpiry(expires_at, now) : 'No expiry reported'}
          />
          <Fact label="Display Name" value={profile.name ?? ''} />
          <Fact label="Username" value={profile.preferred_username ?? ''} />
        </div>
      </div>
    </Card>
  )
}

/** A read-only field that looks like text. A note leads a value of fixed width, or is alone without one. */
function Fact({ label, value, note }: { label: string; value: string; note?: string }) {
  const id = useId()
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="block text-[13px] text-ink2">
        {label}
      </label>
      <div className="mt-0.5 flex flex-wrap items-baseline gap-x-2.5">
        <input
          id={id}
          readOnly
          value={value}
          aria-describedby={note && `${id}-note`}
          style={note ? { width: `${value.length + 0.5}ch` } : undefined}
          className={`h-6 rounded-xs bg-transparent text-ellipsis ${note ? `font-mono text-[12.5px] text-ink3 ${value ? '' : 'sr-only'}` : 'w-full font-[560]'}`}
        />
        {note && (
          <span id={`${id}-note`} className="order-first font-[560]">
            {note}
          </span>
        )}
      </div>
    </div>
  )
}
