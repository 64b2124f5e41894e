import type { User } from '@passport/sign-in'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
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
      <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
        <MaskedToken token={token} onClear={onClear} />
        <div className="grid gap-4 sm:grid-cols-3">
          <Field
            label="Expires At"
            readOnly
            className="font-mono text-[13px]"
            value={expires_at ?? ''}
            hint={expires_at ? formatExpiry(expires_at, now) : 'No expiry reported'}
          />
          <Field label="Display Name" readOnly value={profile.name ?? ''} />
          <Field label="Username" readOnly value={profile.preferred_username ?? ''} />
        </div>
      </div>
    </Card>
  )
}
