import { useState } from 'react'
import { Card } from '../ui/Card.tsx'
import { Field } from '../ui/Field.tsx'
import { decodeJwt } from '../ui/jwt.ts'
import { useNow } from '../ui/use-now.ts'
import { Claims } from './Claims.tsx'
import { findRejectionReasons } from './rejection-reasons.ts'

/** The audience and the scope of Passport's own API; other APIs may differ. */
const toOwnAudience = (authority: string) => `${authority}/passport`
const ownScope = 'api_vertex_core'

/** Explains why an API that expects an audience and scopes would reject the token, and shows what is in it. */
export function ValidationCard({ token, authority }: { token: string; authority: string }) {
  const [audience, setAudience] = useState(toOwnAudience(authority))
  const [scope, setScope] = useState(ownScope)
  const decoded = decodeJwt(token)
  const reasons = findRejectionReasons(decoded, { issuer: authority, audience: audience.trim(), scope }, useNow())
  return (
    <Card title="Validate token">
      <div className="grid gap-4 px-4 pb-[18px] sm:px-[18px]">
        <Field
          label="API audience"
          className="font-mono text-[13px]"
          value={audience}
          onChange={({ target }) => setAudience(target.value)}
        />
        <Field
          label="Required scopes"
          className="font-mono text-[13px]"
          value={scope}
          onChange={({ target }) => setScope(target.value)}
        />
        <Verdict reasons={reasons} />
      </div>
      <Claims decoded={decoded} />
    </Card>
  )
}

function Verdict({ reasons }: { reasons: string[] }) {
  const isValid = reasons.length === 0
  return (
    <div role="status">
      <p className="flex items-baseline gap-2 font-[600]">
        <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${isValid ? 'bg-ok' : 'bg-bad'}`} />
        {isValid ? 'Looks valid' : 'Would be rejected'}
      </p>
      {isValid ? (
        <p className="mt-1 text-ink2">Signature and revocation aren't checked here.</p>
      ) : (
        <ul className="mt-1 grid gap-1 text-ink2">
          {reasons.map((reason) => (
            <li key={reason} className="[overflow-wrap:anywhere]">
              {reason}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
