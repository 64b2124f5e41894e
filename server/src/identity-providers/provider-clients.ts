import * as client from 'openid-client'
import type { HttpClient } from '../http/http-client.ts'

/** The registration of Passport as a client of an OpenID Provider. */
export interface ProviderClient {
  id: string
  issuer: string
  clientId: string
  clientSecret: string
}

/** Returns the client for a provider, by its id. Rejects if the provider does not exist or cannot be reached. */
export type ConnectProvider = (id: string) => Promise<client.Configuration>

/** The tolerated clock skew (the 300 s of the specification, section 9). */
export const clockSkewSeconds = 300

const metadataMaxAgeMs = 60 * 60 * 1000
const timeoutSeconds = 10

/** Creates the clients of providers, with the metadata of each provider, which is fetched on demand, at most once an hour. */
export function connectProviders(registered: ProviderClient[], httpClient: HttpClient): ConnectProvider {
  const connect = cacheConfigurations(async (provider) => {
    const configuration = await discover(provider, httpClient, client.ClientSecretBasic(provider.clientSecret))
    // The library trusts the connection to the token endpoint; the signature is checked as well.
    client.enableNonRepudiationChecks(configuration)
    return configuration
  })
  return async (id) => {
    const provider = registered.find((candidate) => candidate.id === id)
    if (!provider) throw new Error(`The identity provider ${id} does not exist`)
    return connect(provider)
  }
}

/**
 * Creates the clients at tenants of Microsoft Entra, like `connectProviders`. The library accepts metadata of any tenant
 * from Microsoft's own host, so the issuer is compared here. Callers check the signature of ID tokens, with their key.
 */
export const connectTenants = (httpClient: HttpClient) =>
  cacheConfigurations(async (tenant) => {
    // Secrets in the form are what Microsoft documents.
    const configuration = await discover(tenant, httpClient, client.ClientSecretPost(tenant.clientSecret))
    if (configuration.serverMetadata().issuer !== tenant.issuer)
      throw Object.assign(new client.ClientError('the metadata names another issuer than the tenant'), {
        code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
      })
    return configuration
  })

function cacheConfigurations(connect: (provider: ProviderClient) => Promise<client.Configuration>) {
  const cache = new Map<string, { configuration: Promise<client.Configuration>; readAt: number }>()
  return (provider: ProviderClient): Promise<client.Configuration> => {
    const key = `${provider.id} ${provider.issuer}`
    const cached = cache.get(key)
    if (cached && Date.now() - cached.readAt < metadataMaxAgeMs) return cached.configuration
    const configuration = connect(provider)
    cache.set(key, { configuration, readAt: Date.now() })
    configuration.catch(() => cache.delete(key))
    return configuration
  }
}

function discover(
  { issuer, clientId }: ProviderClient,
  httpClient: HttpClient,
  authentication: client.ClientAuth,
): Promise<client.Configuration> {
  const isPlain = issuer.startsWith('http:')
  const metadata = { [client.clockTolerance]: clockSkewSeconds }
  return client.discovery(new URL(issuer), clientId, metadata, authentication, {
    execute: isPlain ? [client.allowInsecureRequests] : [],
    timeout: timeoutSeconds,
    [client.customFetch]: httpClient.fetch,
  })
}
