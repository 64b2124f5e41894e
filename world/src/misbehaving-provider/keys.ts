import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import type { Script } from './script.ts'

/** The keys of the provider. */
export interface Keys {
  /** Returns the published keys, as JWKs. */
  listPublished: (script: Script) => object[]
  sign: (claims: Record<string, unknown>, script: Pick<Script, 'signature' | 'hasKeyIds'>) => Promise<string>
}

const alg = 'RS256'

export async function createKeys(): Promise<Keys> {
  const pairs = {
    current: await generateKeyPair(alg, { extractable: true }),
    next: await generateKeyPair(alg, { extractable: true }),
    forged: await generateKeyPair(alg),
  }
  const jwks = { current: await exportJWK(pairs.current.publicKey), next: await exportJWK(pairs.next.publicKey) }
  return {
    listPublished: ({ publishedKeys, hasKeyIds }) =>
      publishedKeys.map((name) => ({ ...jwks[name], use: 'sig', alg, ...(hasKeyIds && { kid: name }) })),
    sign: async (claims, { signature, hasKeyIds }) => {
      if (signature === 'none') return new UnsecuredJWT(claims).encode()
      if (signature === 'shared-secret') {
        const secret = new TextEncoder().encode('a secret that anyone can guess, such as the client id')
        return new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret)
      }
      const name = signature === 'valid' ? 'current' : signature
      const kid = name === 'forged' ? 'current' : name
      const header = { alg, ...(hasKeyIds && { kid }) }
      return new SignJWT(claims).setProtectedHeader(header).sign(pairs[name].privateKey)
    },
  }
}
