import { createPrivateKey, type JsonWebKey, sign } from 'node:crypto'
import { createLocalJWKSet, type JWK, type JWTVerifyGetKey } from 'jose'

/** A private key: JWK with `kid`, `alg` and `use` (RFC 7517, section 4). */
export type SigningJwk = JWK & { kid: string; alg: string; use: 'sig' }

export type SigningAlg = 'ES256' | 'RS256'

/** The protected header of a JWT. */
export type JwtHeader = { alg: SigningAlg; kid: string; typ?: string }

/** The published keys of an issuer, imported once: an import costs more than a signature. */
export interface KeySet {
  /** The private keys as the protocol library takes them; of each algorithm, the current one is first. */
  jwks: SigningJwk[]
  /** Finds the key of a JWT of the issuer, for `jwtVerify`. */
  findKey: JWTVerifyGetKey
  /** Returns the header of the JWTs that the current key of an algorithm signs. */
  headerOf: (alg: SigningAlg, typ?: string) => JwtHeader
  /** Signs claims with the current key of an algorithm; returns the JWT. */
  sign: (claims: object, alg: SigningAlg, typ?: string) => string
}

/** Imports the keys of an issuer. */
export function createKeySet(jwks: SigningJwk[]): KeySet {
  const current = { ES256: importCurrent(jwks, 'ES256'), RS256: importCurrent(jwks, 'RS256') }
  const getCurrent = (alg: SigningAlg) => {
    const found = current[alg]
    if (!found) throw new Error(`No ${alg} key signs`)
    return found
  }
  const headerOf = (alg: SigningAlg, typ?: string) => ({ alg, kid: getCurrent(alg).kid, ...(typ && { typ }) })
  return {
    jwks,
    findKey: createLocalJWKSet({ keys: jwks.map(toPublicJwk) }),
    headerOf,
    sign: (claims, alg, typ) => {
      const content = `${encode(headerOf(alg, typ))}.${encode(claims)}`
      // The key with options, such as the form of the signature, takes Node twice as long.
      const signature = sign('sha256', Buffer.from(content), getCurrent(alg).key)
      return `${content}.${(alg === 'ES256' ? toJoined(signature) : signature).toString('base64url')}`
    },
  }
}

function importCurrent(jwks: SigningJwk[], alg: SigningAlg) {
  const jwk = jwks.find((key) => key.alg === alg)
  return jwk && { kid: jwk.kid, key: createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }) }
}

const numberBytes = 32

/**
 * Converts an ECDSA signature of P-256 from DER to its two numbers side by side (RFC 7518, section 3.4). DER has each
 * number without leading zeros, but with one before a first bit of 1.
 */
function toJoined(der: Buffer): Buffer {
  const joined = Buffer.alloc(2 * numberBytes)
  let start = 2
  for (const end of [numberBytes, 2 * numberBytes]) {
    const length = der.readUInt8(start + 1)
    const number = der.subarray(start + 2, start + 2 + length).subarray(-numberBytes)
    joined.set(number, end - number.length)
    start += 2 + length
  }
  return joined
}

const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Returns the public part of a key. */
export function toPublicJwk({ kty, crv, x, y, n, e, kid, alg, use }: SigningJwk): JWK {
  const all = { kty, crv, x, y, n, e, kid, alg, use }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as JWK
}
