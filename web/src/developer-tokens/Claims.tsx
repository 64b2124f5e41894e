import type { DecodedJwt, decodeJwt } from '../ui/jwt.ts'
import { formatInstant } from './format-time.ts'

/** Claims in seconds since 1970. */
const timeClaims = new Set(['exp', 'iat', 'nbf', 'auth_time'])

/** The header and the claims of a token, on request. */
export function Claims({ decoded }: { decoded: ReturnType<typeof decodeJwt> }) {
  return (
    <div className="border-t border-hair px-4 py-2 sm:px-[18px]">
      {decoded ? (
        <details>
          <summary className="flex h-8 w-fit cursor-pointer items-center text-[13px] text-stamp hover:underline pointer-coarse:h-11">
            Header and payload
          </summary>
          <div className="grid gap-4 pt-2 pb-1.5">
            <Part title="Header" claims={decoded.header} />
            <Part title="Payload" claims={decoded.payload} />
          </div>
        </details>
      ) : (
        <p className="py-1.5 text-ink2">Opaque token: it can't be decoded.</p>
      )}
    </div>
  )
}

function Part({ title, claims }: { title: string; claims: DecodedJwt['payload'] }) {
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
