import type { JWK } from 'jose'
import * as client from 'openid-client'
import type { HttpClient } from '../http/http-client.ts'
import { type AuthMethod, chooseAuthMethod } from './provider-choices.ts'
import { createProviderKeys, type ProviderKeys, RefusedKey } from './provider-keys.ts'

/** The registration of Passport as a client of an OpenID Provider. */
export interface ProviderClient {
  id: string
  issuer: string
  clientId: string
  clientSecret: string
  /** Overrides the choice by the provider's metadata. */
  tokenEndpointAuthMethod?: AuthMethod | undefined
  /** The address to return to after signing out is registered at the provider; true by default. */
  postLogoutRedirect?: boolean | undefined
}

/** Passport as a client of a provider whose metadata is known (a relying party). */
export interface RelyingParty {
  registration: ProviderClient
  /** For the protocol library. */
  configuration: client.Configuration
  metadata: client.ServerMetadata
  keys: ProviderKeys
  httpClient: HttpClient
  /** Whether user info adds to ID tokens. */
  readsUserInfo: boolean
  authMethod: AuthMethod
  /** Lets the next connection read the metadata again, at most once in 10 s: it may have changed. */
  forget: () => void
  /** Connects again: the result is another one if this one is forgotten. */
  reconnect: () => Promise<RelyingParty>
}

/** Returns the client for a provider, by its id. Rejects if the provider does not exist or cannot be reached. */
export type ConnectProvider = (id: string) => Promise<RelyingParty>

/** The tolerated clock skew (the 300 s of the specification, section 9). */
export const clockSkewSeconds = 300

const metadataMaxAgeMs = 60 * 60 * 1000
const forgetPauseMs = 10_000
const timeoutSeconds = 10

/** Creates the clients of providers, with the metadata of each provider, which is fetched on demand, at most once an hour. */
export function connectProviders(registered: ProviderClient[], httpClient: HttpClient): ConnectProvider {
  const connect = cacheParties(httpClient, async (provider) => ({
    configuration: await discover(provider, httpClient),
    readsUserInfo: true,
  }))
  return async (id) => {
    const provider = registered.find((candidate) => candidate.id === id)
    if (!provider) throw new Error(`The identity provider ${id} does not exist`)
    return connect(provider)
  }
}

/**
 * Creates the clients at tenants of Microsoft Entra, like `connectProviders`. The library accepts metadata of any tenant
 * from Microsoft's own host, so the issuer is compared here. Microsoft publishes with each key the issuer that it signs
 * for, which has a placeholder if it is any tenant: others are refused with `RefusedKey`.
 */
export function connectTenants(httpClient: HttpClient): (tenant: ProviderClient) => Promise<RelyingParty> {
  const connect = cacheParties(httpClient, async (tenant) => {
    const configuration = await discover(tenant, httpClient)
    if (configuration.serverMetadata().issuer !== tenant.issuer)
      throw Object.assign(new client.ClientError('the metadata names another issuer than the tenant'), {
        code: 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
      })
    const acceptKey = ({ kid, issuer }: JWK & { issuer?: unknown }) => {
      // The id of a tenant is the last segment but one of its issuer.
      const tenantId = tenant.issuer.split('/').at(-2) ?? ''
      if (typeof issuer === 'string' && issuer.replace('{tenantid}', tenantId) !== tenant.issuer)
        throw new RefusedKey(`the key ${kid} belongs to ${issuer}`)
    }
    // Microsoft puts the claims into the ID token; user info is of Graph, for another audience.
    return { configuration, acceptKey, readsUserInfo: false }
  })
  // Secrets in the form are what Microsoft documents.
  return (tenant) => connect({ ...tenant, tokenEndpointAuthMethod: 'client_secret_post' })
}

/** What differs between providers and tenants. */
interface Connected extends Pick<RelyingParty, 'configuration' | 'readsUserInfo'> {
  acceptKey?: (jwk: JWK) => void
}

function cacheParties(httpClient: HttpClient, connect: (provider: ProviderClient) => Promise<Connected>) {
  const cache = new Map<string, { party: Promise<RelyingParty>; readAt: number }>()
  const forgottenAt = new Map<string, number>()
  return function connectCached(registration: ProviderClient): Promise<RelyingParty> {
    const key = `${registration.id} ${registration.issuer}`
    const cached = cache.get(key)
    if (cached && Date.now() - cached.readAt < metadataMaxAgeMs) return cached.party
    const forget = () => {
      if (Date.now() - (forgottenAt.get(key) ?? Number.NEGATIVE_INFINITY) < forgetPauseMs) return
      forgottenAt.set(key, Date.now())
      cache.delete(key)
    }
    const party = connect(registration).then(({ configuration, acceptKey, readsUserInfo }) => {
      const metadata = configuration.serverMetadata()
      if (!metadata.jwks_uri) throw new client.ClientError('the metadata has no keys')
      const keys = createProviderKeys(metadata.jwks_uri, httpClient.fetch, acceptKey)
      const authMethod = chooseAuthMethod(metadata, registration.tokenEndpointAuthMethod)
      const reconnect = () => connectCached(registration)
      return { registration, configuration, metadata, authMethod, keys, httpClient, readsUserInfo, forget, reconnect }
    })
    cache.set(key, { party, readAt: Date.now() })
    party.catch(() => cache.delete(key))
    return party
  }
}

async function discover(registration: ProviderClient, httpClient: HttpClient): Promise<client.Configuration> {
  const { issuer, clientId, clientSecret, tokenEndpointAuthMethod } = registration
  const isPlain = issuer.startsWith('http:')
  /** The metadata that decides is known when a request is sent. */
  const authenticate: client.ClientAuth = (metadata, ...request) => {
    const method = chooseAuthMethod(metadata, tokenEndpointAuthMethod)
    return createAuthentication(method, clientId, clientSecret)(metadata, ...request)
  }
  return client.discovery(new URL(issuer), clientId, { [client.clockTolerance]: clockSkewSeconds }, authenticate, {
    execute: isPlain ? [client.allowInsecureRequests] : [],
    timeout: timeoutSeconds,
    [client.customFetch]: httpClient.fetch,
  })
}

/** Creates the authentication of the client at the token endpoint (RFC 6749, section 2.3.1; OpenID Connect Core, section 9). */
function createAuthentication(method: AuthMethod, clientId: string, clientSecret: string): client.ClientAuth {
  if (method === 'client_secret_post') return client.ClientSecretPost(clientSecret)
  if (method === 'client_secret_jwt') return client.ClientSecretJwt(clientSecret)
  const encode = method === 'client_secret_basic' ? formEncode : (text: string) => text
  const credentials = Buffer.from(`${encode(clientId)}:${encode(clientSecret)}`).toString('base64')
  return (_metadata, _parameters, _body, headers) => headers.set('authorization', `Basic ${credentials}`)
}

/**
 * Encodes a part of the credentials of Basic. The library would encode `-` and `_` as well, which most ids have, and some
 * providers decode nothing.
 */
const formEncode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
