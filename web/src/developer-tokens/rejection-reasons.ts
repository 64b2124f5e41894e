import type { DecodedJwt } from '../ui/jwt.ts'
import { formatInstant } from './format-time.ts'

/** The expectations of an API. */
export interface Expected {
  issuer: string
  audience: string
  /** Names separated by spaces; all are required. */
  scope: string
}

/**
 * Returns the reasons why an API would reject an access token (RFC 9068, section 4; RFC 9449). Signature and revocation
 * are not checked: only the API can. `now` is in milliseconds since 1970.
 */
export function findRejectionReasons(decoded: DecodedJwt | undefined, expected: Expected, now: number): string[] {
  if (!decoded) return ["Not a JSON Web Token, so an API can't read it."]
  return [
    ...checkForm(decoded),
    ...checkTimes(decoded.payload, Math.floor(now / 1000)),
    ...checkIssuerAndAudience(decoded.payload, expected),
    ...checkScopes(decoded.payload, expected),
  ]
}

function* checkForm({ header, payload }: DecodedJwt) {
  const { alg, typ } = header
  if (typeof alg !== 'string' || alg.toLowerCase() === 'none') yield 'The token is not signed.'
  if (!isAccessTokenType(typ)) yield `The type is ${formatClaim(typ)}, not at+jwt, so this is not an access token.`
  const { cnf } = payload
  if (typeof cnf === 'object' && cnf !== null)
    yield 'The token is bound to a key, and the sender must prove possession of it.'
}

const isAccessTokenType = (typ: unknown) =>
  typeof typ === 'string' && /^(?:application\/)?at\+jwt$/.test(typ.toLowerCase())

function* checkTimes({ exp, nbf, iat }: DecodedJwt['payload'], now: number) {
  if (typeof exp !== 'number') yield 'The token has no expiry.'
  else if (exp <= now) yield `The token expired on ${formatInstant(exp)}.`
  if (typeof nbf === 'number' && nbf > now) yield `The token is not valid before ${formatInstant(nbf)}.`
  else if (typeof iat === 'number' && iat > now + clockSkewSeconds)
    yield 'The token was issued in the future. Check the clocks of this machine and of the issuer.'
}

/** The tolerated difference between clocks. */
const clockSkewSeconds = 60

function* checkIssuerAndAudience({ iss, aud }: DecodedJwt['payload'], { issuer, audience }: Expected) {
  if (iss !== issuer) yield `The issuer is ${formatClaim(iss)}, not ${issuer}.`
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (audience && !audiences.includes(audience))
    yield `The audience is ${audiences.map(formatClaim).join(', ')}, not ${audience}.`
}

function* checkScopes({ scope }: DecodedJwt['payload'], expected: Expected) {
  const granted = new Set(typeof scope === 'string' ? scope.split(' ') : [])
  for (const name of new Set(expected.scope.split(/\s+/))) {
    if (name && !granted.has(name)) yield `The scope ${name} is missing.`
  }
}

const formatClaim = (claim: unknown): string => (claim === undefined ? 'missing' : String(claim))
