import type { ClientMetadata, Client as ClientOf, Provider } from 'oidc-provider'
import type { Client } from '../clients/store.ts'
import { isNative } from '../oauth/redirect-uri.ts'
import { hashToken, isSameSecret } from '../vault.ts'

/** Joins the hashes to the one secret that the library has for a client, which must not be empty. */
const joinHashes = (hashes: string[]) => hashes.join(' ') || 'none'

/** Converts a row to the library's client metadata; secrets are compared by their hashes. */
export function toClientMetadata(client: Client | undefined): ClientMetadata | undefined {
  if (!client) return undefined
  const { clientId, name, redirectUris, postLogoutRedirectUris, grantTypes } = client
  return {
    client_id: clientId,
    client_name: name,
    redirect_uris: redirectUris,
    post_logout_redirect_uris: postLogoutRedirectUris,
    grant_types: grantTypes,
    application_type: isNative(client) ? 'native' : 'web',
    response_types: grantTypes.includes('authorization_code') ? ['code'] : [],
    id_token_signed_response_alg: client.idTokenSigningAlg,
    pkce: client.pkce,
    ...(client.isConfidential
      ? { client_secret: joinHashes(client.secretHashes), token_endpoint_auth_method: 'client_secret_basic' as const }
      : { token_endpoint_auth_method: 'none' as const }),
  }
}

/** Makes the library compare the secrets of clients by their hashes. */
export function compareSecretsByHash(provider: Provider): void {
  const { prototype } = provider.Client as unknown as { prototype: ClientOf }
  prototype.compareClientSecret = function (presentedSecret) {
    const presented = hashToken(presentedSecret)
    return (this.clientSecret ?? '').split(' ').some((hash) => isSameSecret(hash, presented))
  }
}
