import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { Habits } from './habits.ts'

/** The signing keys of a provider. */
export interface Signer {
  /** Returns the published keys, as JWKs. */
  listPublished: () => object[]
  /** Signs with the current key; a forged signature has its id but another key. */
  sign: (claims: JWTPayload, options?: { isForged?: boolean; type?: string }) => Promise<string>
  /** Replaces the current key, and stops publishing it. */
  rotate: () => Promise<void>
}

interface SigningKey {
  alg: Habits['signingAlg']
  privateKey: CryptoKey
  jwk: object
}

/** Creates the keys of a provider. A change of the algorithm rotates the key at the next signature. */
export async function createSigner(habits: Habits): Promise<Signer> {
  const forged = new Map<string, CryptoKey>()
  let generation = 0
  let current: SigningKey = await createKey()

  async function createKey(): Promise<SigningKey> {
    const alg = habits.signingAlg
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    generation++
    return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), alg, use: 'sig' } }
  }

  async function findForged(alg: string): Promise<CryptoKey> {
    const key = forged.get(alg) ?? (await generateKeyPair(alg)).privateKey
    forged.set(alg, key)
    return key
  }

  const idOfKey = () => (habits.hasKeyIds ? { kid: `harbour-${generation}` } : {})
  return {
    listPublished: () => [{ ...current.jwk, ...idOfKey() }],
    sign: async (claims, { isForged = false, type } = {}) => {
      if (current.alg !== habits.signingAlg) current = await createKey()
      const { alg, privateKey } = current
      return new SignJWT(claims)
        .setProtectedHeader({ alg, ...idOfKey(), ...(type && { typ: type }) })
        .sign(isForged ? await findForged(alg) : privateKey)
    },
    rotate: async () => {
      current = await createKey()
    },
  }
}
