import type { Config } from '../config.ts'
import type { HttpClient } from '../http/http-client.ts'
import { identityIssuer } from '../local-directory/store.ts'
import type { Vault } from '../vault.ts'
import { type ConnectProvider, connectProviders } from './provider-clients.ts'

/** An identity provider at which users sign in to Passport. */
export interface Upstream {
  id: string
  name: string
  kind: 'oidc' | 'local'
  issuer: string
  /** Identifies its users, together with their `sub`. */
  identityIssuer: string
  /** `open` creates an account at the first sign-in of an unknown user; `invited` requires an invitation. */
  signUp: 'open' | 'invited'
  /** Trusts email addresses that the provider has verified, for invitations, prepared accounts and join links. */
  trustEmail: boolean
  /**
   * The proof of a recent authentication: the claim `auth_time`; `prompt` accepts a forced sign-in without that claim.
   */
  freshness: 'auth_time' | 'prompt'
}

export interface Upstreams {
  all: Upstream[]
  find: (id: string) => Upstream | undefined
  connect: ConnectProvider
}

/** Returns Passport's client at the built-in directory, with a secret derived from the vault. */
export const deriveDirectoryClient = (publicUrl: string, vault: Vault) => ({
  clientId: 'passport',
  clientSecret: vault.derive('directory-client').toString('base64url'),
  redirectUri: buildCallbackUrl(publicUrl, 'local'),
  postLogoutRedirectUri: `${publicUrl}/app/`,
})

/** Returns the redirect URI for a provider. Each has its own, so that none can impersonate another. */
export const buildCallbackUrl = (publicUrl: string, id: string): string => `${publicUrl}/login/callback/${id}`

/** Creates the providers of the configuration. */
export function createUpstreams(
  { identityProviders, publicUrl }: Config,
  vault: Vault,
  httpClient: HttpClient,
): Upstreams {
  const directory = deriveDirectoryClient(publicUrl, vault)
  const registered = identityProviders.map((provider) =>
    provider.kind === 'local'
      ? {
          ...provider,
          issuer: `${publicUrl}/idp`,
          identityIssuer,
          signUp: 'invited' as const,
          trustEmail: true,
          freshness: 'auth_time' as const,
          clientId: directory.clientId,
          clientSecret: directory.clientSecret,
        }
      : {
          ...provider,
          identityIssuer: provider.issuer,
          trustEmail: provider.trustEmail ?? provider.signUp === 'invited',
        },
  )
  return {
    all: registered.map(({ id, name, kind, issuer, identityIssuer, signUp, trustEmail, freshness }) => ({
      id,
      name,
      kind,
      issuer,
      identityIssuer,
      signUp,
      trustEmail,
      freshness,
    })),
    find: (id) => registered.find((provider) => provider.id === id),
    connect: connectProviders(registered, httpClient),
  }
}
