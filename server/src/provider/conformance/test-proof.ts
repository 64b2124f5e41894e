import { createHash, randomUUID } from 'node:crypto'
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'

/** A key of a client, and the proof that it holds it (RFC 9449, section 4.2). */
export interface ProofKey {
  jwk: JWK
  jkt: string
  /** Creates the header of a request; `changes` are of the claims and of the JWT header. */
  prove: (method: string, url: string, changes?: ProofChanges) => Promise<{ dpop: string }>
}

export interface ProofChanges {
  /** The access token that the request presents. */
  token?: string
  ageSeconds?: number
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
}

export async function createProofKey(alg = 'ES256'): Promise<ProofKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg)
  const jwk: JWK = await exportJWK(publicKey)
  return {
    jwk,
    jkt: await calculateJwkThumbprint(jwk),
    prove: async (htm, htu, { token, ageSeconds = 0, claims, header } = {}) => {
      const ath = token && { ath: createHash('sha256').update(token).digest('base64url') }
      const iat = Math.floor(Date.now() / 1000) - ageSeconds
      const dpop = await new SignJWT({ htm, htu, jti: randomUUID(), iat, ...ath, ...claims })
        .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header })
        .sign(privateKey)
      return { dpop }
    },
  }
}
