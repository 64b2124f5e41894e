import * as client from 'openid-client'
import type { Config } from '../config.ts'
import type { HttpClient } from '../http/http-client.ts'
import { identityIssuer } from '../local-directory/store.ts'
import type { Vault } from '../vault.ts'

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
  /**
   * Returns the client for a provider, with the provider's metadata, which is fetched on demand, at most once an hour.
   * Rejects if the provider cannot be reached.
   */
  connect: (id: string) => Promise<client.Configuration>
}

/** The tolerated clock skew (the 300 s of the specification, section 9). */
export const clockSkewSeconds = 300

const metadataMaxAgeMs = 60 * 60 * 1000
const timeoutSeconds = 10

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
  const cache = new Map<string, { configuration: Promise<client.Configuration>; readAt: number }>()

  async function discover(id: string) {
    const provider = registered.find((candidate) => candidate.id === id)
    if (!provider) throw new Error(`The identity provider ${id} does not exist`)
    const { issuer, clientId, clientSecret } = provider
    const isPlain = issuer.startsWith('http:')
    const metadata = { [client.clockTolerance]: clockSkewSeconds }
    const configuration = await client.discovery(
      new URL(issuer),
      clientId,
      metadata,
      client.ClientSecretBasic(clientSecret),
      {
        execute: isPlain ? [client.allowInsecureRequests] : [],
        timeout: timeoutSeconds,
        [client.customFetch]: httpClient.fetch,
      },
    )
    // The library trusts the connection to the token endpoint; the signature is checked as well.
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

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
    connect: (id) => {
      const cached = cache.get(id)
      if (cached && Date.now() - cached.readAt < metadataMaxAgeMs) return cached.configuration
      const configuration = discover(id)
      cache.set(id, { configuration, readAt: Date.now() })
      configuration.catch(() => cache.delete(id))
      return configuration
    },
  }
}
