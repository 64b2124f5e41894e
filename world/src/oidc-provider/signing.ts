import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import type { Habits } from './habits.ts'

/** The signing keys of a provider. */
export interface Signer {
  /** Returns the published keys, as JWKs. */
  listPublished: () => Promise<object[]>
  /** Signs with the current key; a forged signature has its id but another key, and an unsigned token has none. */
  sign: (claims: JWTPayload, options?: SignOptions) => Promise<string>
  /** Replaces the current key, and stops publishing it. */
  rotate: () => Promise<void>
}

interface SignOptions {
  form?: 'valid' | 'forged' | 'unsigned'
  type?: string
}

interface SigningKey {
  alg: Habits['signingAlg']
  kid: string
  privateKey: CryptoKey
  jwk: object
}

/** Creates the keys of a provider. A change of the algorithm rotates the key at the next signature. */
export async function createSigner(habits: Habits): Promise<Signer> {
  const spares = new Map<string, SigningKey>()
  let generation = 0
  let current: SigningKey = await createKey()

  async function createKey(): Promise<SigningKey> {
    const alg = habits.signingAlg
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
    return {
      alg,
      kid: `harbour-${++generation}`,
      privateKey,
      jwk: { ...(await exportJWK(publicKey)), alg, use: 'sig' },
    }
  }

  async function findSpare(): Promise<SigningKey> {
    const key = spares.get(habits.signingAlg) ?? (await createKey())
    spares.set(habits.signingAlg, key)
    return key
  }

  const toPublished = ({ jwk, kid }: SigningKey) => ({ ...jwk, ...(habits.hasKeyIds && { kid }) })
  return {
    listPublished: async () => [current, ...(habits.hasSpareKey ? [await findSpare()] : [])].map(toPublished),
    sign: async (claims, { form = 'valid', type } = {}) => {
      if (form === 'unsigned') return new UnsecuredJWT(claims).encode()
      if (current.alg !== habits.signingAlg) current = await createKey()
      const { alg, kid, privateKey } = current
      return new SignJWT(claims)
        .setProtectedHeader({ alg, ...(habits.hasKeyIds && { kid }), ...(type && { typ: type }) })
        .sign(form === 'forged' ? (await findSpare()).privateKey : privateKey)
    },
    rotate: async () => {
      current = await createKey()
    },
  }
}
