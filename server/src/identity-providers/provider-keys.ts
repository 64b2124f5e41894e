import {
  type CryptoKey,
  compactVerify,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FlattenedJWSInput,
  type JWK,
  type JWSHeaderParameters,
} from 'jose'
import type { HttpClient } from '../http/http-client.ts'

/** The algorithms of signatures that Passport accepts: those whose keys a provider publishes. */
export const signingAlgorithms = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'],
]

/** The published keys of a provider. */
export interface ProviderKeys {
  /**
   * Calls `verify` with the function that finds the key of a signature. If the keys have none, or it does not match, they
   * are read again at once, and `verify` is called again (OpenID Connect Core, section 10.1.1), at most once in 10 s.
   * Rejects like `verify`, and with a `TypeError` or a `JOSEError` if the keys cannot be read.
   */
  verifyWith: <T>(verify: (findKey: FindKey) => Promise<T>) => Promise<T>
}

/** Finds the key of a signature. */
export type FindKey = (header: JWSHeaderParameters, token: FlattenedJWSInput) => Promise<CryptoKey>

/** Thrown for a published key that must not sign for the provider. */
export class RefusedKey extends Error {}

/** How long no other unknown key causes a request: anyone can write a token that names one. */
const rereadPauseMs = 10_000
const timeoutMs = 10_000

/**
 * Creates the key set of a provider, which is read on demand and kept for 10 minutes. `accept` is called with the JWK of
 * a key before its use, and refuses it by throwing `RefusedKey`.
 */
export function createProviderKeys(
  url: string,
  fetch: HttpClient['fetch'],
  accept: (jwk: JWK) => void = () => undefined,
): ProviderKeys {
  let reads = 0
  const keys = createRemoteJWKSet(new URL(url), {
    [customFetch]: (target, options) => fetch(target, options).finally(() => reads++),
    timeoutDuration: timeoutMs,
    // The library would pause after every request, also after the first one.
    cooldownDuration: Number.POSITIVE_INFINITY,
  })
  let rereadAt = Number.NEGATIVE_INFINITY
  let pending: Promise<void> | undefined

  const findKey: FindKey = async (header, token) => {
    const key = await keys(header, token)
    const published = keys.jwks()?.keys ?? []
    for (const jwk of published) if (header.kid !== undefined && jwk.kid === header.kid) accept(jwk)
    return key
  }

  const reread = async () => {
    if (!pending && Date.now() - rereadAt >= rereadPauseMs) {
      rereadAt = Date.now()
      pending = keys.reload().finally(() => {
        pending = undefined
      })
    }
    await pending
  }

  return {
    verifyWith: async (verify) => {
      const known = reads
      try {
        return await verify(findKey)
      } catch (error) {
        if (!isOutdated(error)) throw error
        if (reads === known) await reread()
        if (reads === known) throw error
        return await verify(findKey)
      }
    },
  }
}

/** A provider may also have replaced a key under its key id, or one without an id. */
const isOutdated = (error: unknown) =>
  error instanceof errors.JWKSNoMatchingKey ||
  error instanceof errors.JWSSignatureVerificationFailed ||
  error instanceof RefusedKey

/**
 * Verifies the signature of a JWT, and no claims. Returns its payload. Throws `SignatureFailure`, or what `accept` throws. Rejects with the
 * error of the HTTP client if the keys cannot be read.
 */
export async function verifyJwtSignature(keys: ProviderKeys, jwt: string): Promise<Uint8Array> {
  try {
    const options = { algorithms: signingAlgorithms }
    const { payload } = await keys.verifyWith((findKey) => compactVerify(jwt, findKey, options))
    return payload
  } catch (error) {
    const isUnread = error instanceof TypeError && error.message === 'fetch failed'
    if (isUnread || error instanceof RefusedKey) throw error
    // A malformed or a weak key is another error than one of the library.
    throw new SignatureFailure(error as Error)
  }
}

/** A JWT whose signature is not verified. */
export class SignatureFailure extends Error {
  /** The keys could not be read. */
  readonly isUnreachable: boolean
  constructor(cause: Error) {
    super(`the signature of the token is not verified: ${cause.message}`, { cause })
    this.name = 'SignatureFailure'
    // The generic error is that of a response without keys.
    this.isUnreachable =
      cause instanceof errors.JWKSTimeout || (cause instanceof errors.JOSEError && cause.code === 'ERR_JOSE_GENERIC')
  }
}
