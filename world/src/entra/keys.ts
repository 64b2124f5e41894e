import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'

/** The signing keys of a cloud; they are generated when they are first needed. */
export interface Keys {
  /** Returns the published keys as Entra does: without `alg`, and each with its issuer. */
  listPublished: (names: KeyName[], issuer: string, cloudInstanceName: string) => Promise<object[]>
  /** Signs claims; `kid` is that of the key unless another name is passed. */
  sign: (claims: JWTPayload, name: KeyName, kid?: KeyName) => Promise<string>
}

export type KeyName = 'current' | 'next' | 'forged'

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>

const alg = 'RS256'

export function createKeys(cloudId: string): Keys {
  const pairs = new Map<KeyName, Promise<KeyPair>>()
  const kidOf = (name: KeyName) => Buffer.from(`${cloudId} ${name}`).toString('base64url')

  function findPair(name: KeyName): Promise<KeyPair> {
    const known = pairs.get(name)
    if (known) return known
    const pair = generateKeyPair(alg, { extractable: true })
    pairs.set(name, pair)
    return pair
  }

  return {
    listPublished: (names, issuer, cloudInstanceName) =>
      Promise.all(
        names.map(async (name) => ({
          ...(await exportJWK((await findPair(name)).publicKey)),
          use: 'sig',
          kid: kidOf(name),
          x5t: kidOf(name),
          cloud_instance_name: cloudInstanceName,
          issuer,
        })),
      ),
    sign: async (claims, name, kid = name) =>
      new SignJWT(claims)
        .setProtectedHeader({ typ: 'JWT', alg, kid: kidOf(kid) })
        .sign((await findPair(name)).privateKey),
  }
}
