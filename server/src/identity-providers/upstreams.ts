import type { Config } from '../config.ts'
import type { HttpClient } from '../http/http-client.ts'
import { identityIssuer } from '../local-directory/store.ts'
import { connectProviders, connectTenants, type RelyingParty } from './provider-clients.ts'

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
  /** The tenant of Microsoft Entra, of a provider that belongs to an organisation. */
  tenant?: UpstreamTenant
}

/** A tenant of Microsoft Entra as an identity provider of an organisation. */
export interface UpstreamTenant {
  /** A GUID in lower case. */
  id: string
  orgId: string
  /** The id of its cloud in the configuration. */
  cloud: string
  /** Sign-in is enabled, and the organisation is not deleted. */
  isEnabled: boolean
  allowGuests: boolean
  /** A mapping refers to a group, so that the groups of a user must be known. */
  needsGroups: boolean
}

export interface Upstreams {
  /** The providers of the configuration. */
  all: Upstream[]
  /** Finds a provider of the configuration. Those of organisations are in the database: see `findUpstream`. */
  find: (id: string) => Upstream | undefined
  /**
   * Returns Passport's client at a provider, other than the built-in directory, which it calls without a protocol.
   * Rejects if the provider cannot be reached.
   */
  connect: (upstream: Upstream) => Promise<RelyingParty>
}

/** Returns the redirect URI for a provider. Each has its own, so that none can impersonate another. */
export const buildCallbackUrl = (publicUrl: string, id: string): string => `${publicUrl}/login/callback/${id}`

/** The id in the redirect URI of all tenants: it is registered once in each cloud, and the attempt has the tenant. */
export const tenantCallbackId = 'entra'

/** Creates the providers of the configuration. */
export function createUpstreams(
  { identityProviders, entraClouds, publicUrl }: Config,
  httpClient: HttpClient,
): Upstreams {
  const registered = identityProviders.map((provider) =>
    provider.kind === 'local'
      ? {
          ...provider,
          issuer: `${publicUrl}/idp`,
          identityIssuer,
          signUp: 'invited' as const,
          trustEmail: true,
          freshness: 'auth_time' as const,
        }
      : {
          ...provider,
          identityIssuer: provider.issuer,
          trustEmail: provider.trustEmail ?? provider.signUp === 'invited',
        },
  )
  const connectRegistered = connectProviders(
    registered.filter((provider) => provider.kind === 'oidc'),
    httpClient,
  )
  const connectTenant = connectTenants(httpClient)
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
    connect: async ({ id, issuer, tenant }) => {
      if (!tenant) return connectRegistered(id)
      const cloud = entraClouds.find((candidate) => candidate.id === tenant.cloud)
      if (!cloud) throw new Error(`The cloud ${tenant.cloud} is not configured`)
      const { clientId, clientSecret, postLogoutRedirect } = cloud
      return connectTenant({ id, issuer, clientId, clientSecret, postLogoutRedirect })
    },
  }
}
