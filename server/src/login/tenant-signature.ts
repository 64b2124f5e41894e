import { compactVerify, createRemoteJWKSet, customFetch, errors } from 'jose'
import * as client from 'openid-client'
import { SignInFailure } from './failure.ts'

type KeySet = ReturnType<typeof createRemoteJWKSet>

const keySets = new WeakMap<client.Configuration, KeySet>()

/** An unknown key is looked for again at once: only the tenant's own token endpoint can present one. */
const cooldownMs = 0

/**
 * Verifies the signature of an ID token of a tenant, and that its key belongs to that tenant: Microsoft publishes with each
 * key the issuer that it signs for, which has a placeholder if it is any tenant. Throws `SignInFailure`.
 */
export async function verifySignature(
  configuration: client.Configuration,
  tenantId: string,
  idToken: string,
): Promise<void> {
  const keys = keySets.get(configuration) ?? createKeySet(configuration)
  keySets.set(configuration, keys)
  const { issuer } = configuration.serverMetadata()
  try {
    await compactVerify(
      idToken,
      async (header, token) => {
        const key = await keys(header, token)
        const published: { kid?: string; issuer?: unknown }[] = keys.jwks()?.keys ?? []
        const keyIssuer = published.find(({ kid }) => kid === header?.kid)?.issuer
        if (typeof keyIssuer === 'string' && keyIssuer.replace('{tenantid}', tenantId) !== issuer)
          throw new SignInFailure('key-issuer-wrong', `the key ${header?.kid} belongs to ${keyIssuer}`)
        return key
      },
      { algorithms: ['RS256'] },
    )
  } catch (error) {
    // The next attempt reads the keys again.
    keySets.delete(configuration)
    if (!(error instanceof errors.JOSEError)) throw error
    const isUnreachable = error instanceof errors.JWKSTimeout || error.code === 'ERR_JOSE_GENERIC'
    throw new SignInFailure(isUnreachable ? 'provider-unreachable' : 'answer-invalid', error.message, { cause: error })
  }
}

function createKeySet(configuration: client.Configuration): KeySet {
  const { jwks_uri } = configuration.serverMetadata()
  const send = configuration[client.customFetch]
  if (!jwks_uri || !send) throw new SignInFailure('answer-invalid', 'the metadata has no keys')
  return createRemoteJWKSet(new URL(jwks_uri), {
    [customFetch]: (url, { headers, ...options }) =>
      send(url, { ...options, headers: Object.fromEntries(headers), body: undefined }),
    cooldownDuration: cooldownMs,
  })
}
