import type { Decoded } from '../ui/jwt.ts'
import { momentOf } from './countdown.ts'

/** What an API goes by. */
export interface Expected {
  issuer: string
  audience: string
  /** Names with blanks between them; all are needed. */
  scope: string
}

/**
 * Why an API would refuse an access token, as far as the token shows (RFC 9068, section 4; RFC 9449). That it was signed
 * rightly and has not been revoked, only the API can tell. `now` is ms since 1970.
 */
export function refusalsOf(decoded: Decoded | undefined, expected: Expected, now: number): string[] {
  if (!decoded) return ['It is no JSON Web Token, so an API cannot read it by itself.']
  return [
    ...formOf(decoded),
    ...timesOf(decoded.payload, Math.floor(now / 1000)),
    ...addressOf(decoded.payload, expected),
    ...scopesOf(decoded.payload, expected),
  ]
}

function* formOf({ header, payload }: Decoded) {
  const { alg, typ } = header
  if (typeof alg !== 'string' || alg.toLowerCase() === 'none') yield 'It is not signed.'
  if (!isAccessTokenType(typ)) yield `Its type is ${told(typ)} and not at+jwt: it is no access token.`
  const { cnf } = payload
  if (typeof cnf === 'object' && cnf !== null) yield 'It is bound to a key, which whoever sends it has to prove.'
}

const isAccessTokenType = (typ: unknown) =>
  typeof typ === 'string' && /^(?:application\/)?at\+jwt$/.test(typ.toLowerCase())

function* timesOf({ exp, nbf, iat }: Decoded['payload'], now: number) {
  if (typeof exp !== 'number') yield 'It does not say when it expires.'
  else if (exp <= now) yield `It expired on ${momentOf(exp)}.`
  if (typeof nbf === 'number' && nbf > now) yield `It is not valid before ${momentOf(nbf)}.`
  else if (typeof iat === 'number' && iat > now + clockSkewSeconds)
    yield 'It was issued in the future: a clock is wrong, that of this machine or that of the issuer.'
}

/** Clocks are this far apart without anybody being wrong. */
const clockSkewSeconds = 60

function* addressOf({ iss, aud }: Decoded['payload'], { issuer, audience }: Expected) {
  if (iss !== issuer) yield `It was issued by ${told(iss)} and not by ${issuer}.`
  const audiences = Array.isArray(aud) ? aud : [aud]
  if (audience && !audiences.includes(audience))
    yield `It is for another API: its audience is ${audiences.map(told).join(', ')} and not ${audience}.`
}

function* scopesOf({ scope }: Decoded['payload'], expected: Expected) {
  const granted = new Set(typeof scope === 'string' ? scope.split(' ') : [])
  for (const name of new Set(expected.scope.split(/\s+/))) {
    if (name && !granted.has(name)) yield `It lacks the scope ${name}.`
  }
}

const told = (claim: unknown): string => (claim === undefined ? 'missing' : String(claim))
