import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from 'jose'
import { hashToken } from '../vault.ts'

/** The algorithms of proofs for tokens of this issuer, as its metadata lists them. */
export const proofAlgorithms = ['ES256', 'Ed25519', 'EdDSA']

/** How old a proof may be, in seconds (RFC 9449, section 11.1). */
const maxAgeSeconds = 300
/** How far ahead the clock of a client may be. */
const maxAheadSeconds = 5
/** The time in which a proof could be presented again, and its id has to be remembered. */
export const replaySeconds: number = maxAgeSeconds + maxAheadSeconds

/** The request that a proof has to be for. */
export interface ProvenRequest {
  method: string
  /** The public URL; its query and fragment are ignored. */
  url: string
  /** The access token that is presented with the proof, if any. */
  accessToken?: string | undefined
  /** The current time in seconds since 1970. */
  now: number
  algorithms?: string[]
}

/** A verified proof; its sender holds the key. */
export interface Proof {
  /** The thumbprint of the key, by which tokens are bound to it (RFC 9449, section 6.1). */
  jkt: string
  /** The id of the proof, which is valid once for its key. */
  jti: string
}

/** Thrown for a proof that does not prove anything; the message says why. */
export class InvalidProof extends Error {}

/**
 * Verifies a proof of possession of a key for one request (RFC 9449, section 4.3). Throws `InvalidProof`. Whether the proof
 * was presented before is in the database.
 */
export async function verifyProof(
  proof: string,
  { method, url, accessToken, now, algorithms = proofAlgorithms }: ProvenRequest,
): Promise<Proof> {
  const { payload, jwk } = await verifySignature(proof, algorithms, now)
  const { jti, iat, htm, htu, ath } = payload
  if (typeof jti !== 'string' || jti === '') throw new InvalidProof('The DPoP proof must have a jti.')
  if (typeof iat !== 'number') throw new InvalidProof('The DPoP proof must have a numeric iat.')
  if (iat < now - maxAgeSeconds || iat > now + maxAheadSeconds)
    throw new InvalidProof('The iat of the DPoP proof is not recent. Check the clock of the client.')
  if (htm !== method) throw new InvalidProof('The htm of the DPoP proof is not the method of the request.')
  if (toTarget(htu) !== toTarget(url))
    throw new InvalidProof('The htu of the DPoP proof is not the URL of the request.')
  if (accessToken !== undefined && ath !== hashToken(accessToken))
    throw new InvalidProof('The ath of the DPoP proof is not the hash of the access token.')
  return { jkt: await calculateJwkThumbprint(jwk), jti }
}

async function verifySignature(
  proof: string,
  algorithms: string[],
  now: number,
): Promise<{ payload: JWTPayload; jwk: JWK }> {
  try {
    const options = { typ: 'dpop+jwt', algorithms, currentDate: new Date(now * 1000) }
    const { payload, protectedHeader } = await jwtVerify(proof, EmbeddedJWK, options)
    return { payload, jwk: protectedHeader.jwk as JWK }
  } catch (error) {
    const reason = error instanceof errors.JOSEError ? `: ${error.message}` : ''
    throw new InvalidProof(`The DPoP proof is not a JWT that its own key has signed${reason}.`, { cause: error })
  }
}

/** Returns a URL without query and fragment; undefined for anything else. */
function toTarget(text: unknown): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text) : null
  if (!url) return undefined
  url.search = ''
  url.hash = ''
  return url.href
}
