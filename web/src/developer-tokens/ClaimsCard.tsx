import { Card } from '../ui/Card.tsx'
import { type DecodedJwt, decodeJwt } from '../ui/jwt.ts'
import { formatInstant } from './format-time.ts'

/** Claims in seconds since 1970. */
const timeClaims = new Set(['exp', 'iat', 'nbf', 'auth_time'])

/** The header and the claims of the token. */
export function ClaimsCard({ token }: { token: string }) {
  const decoded = decodeJwt(token)
  return (
    <Card title="Decoded token" description="Decoded in this browser. The signature isn't checked here.">
      <div className="px-4 pb-3 sm:px-[18px]">
        {decoded ? (
          <details>
            <summary className="flex h-8 w-fit cursor-pointer items-center text-[13px] text-stamp hover:underline pointer-coarse:h-11">
              Header and payload
            </summary>
            <div className="grid gap-4 pt-2 pb-1.5">
              <Claims title="Header" claims={decoded.header} />
              <Claims title="Payload" claims={decoded.payload} />
            </div>
          </details>
        ) : (
          <p className="text-ink2">Opaque token: it can't be decoded.</p>
        )}
      </div>
    </Card>
  )
}

function Claims({ title, claims }: { title: string; claims: DecodedJwt['payload'] }) {
  return (
    <div>
      <h3 className="mb-1 font-[600]">{title}</h3>
      <dl>
        {Object.entries(claims).map(([name, value]) => (
          <div key={name} className="grid grid-cols-[100px_minmax(0,1fr)] gap-3 border-t border-line py-1.5">
            <dt className="font-mono text-[12.5px] leading-[21px] text-ink3">{name}</dt>
            <dd className="font-mono text-[12.5px] leading-[21px] [overflow-wrap:anywhere]">
              {typeof value === 'string' ? value : JSON.stringify(value)}
              {timeClaims.has(name) && typeof value === 'number' && (
                <span className="font-sans text-[13px] text-ink3"> {formatInstant(value)}</span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
