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

  return (id) => {
    const cached = cache.get(id)
    if (cached && Date.now() - cached.readAt < metadataMaxAgeMs) return cached.configuration
    const configuration = discover(id)
    cache.set(id, { configuration, readAt: Date.now() })
    configuration.catch(() => cache.delete(id))
    return configuration
  }
}
