import * as client from 'openid-client'
import type { Config } from '../config.ts'
import { identityIssuer } from '../local-directory/store.ts'
import type { Vault } from '../vault.ts'
import { fetchFromOurselves } from './own-origin.ts'

/** An identity provider that people come through. */
export interface Upstream {
  id: string
  name: string
  kind: 'oidc' | 'local'
  issuer: string
  /** What its people are known by, together with their `sub`. */
  identityIssuer: string
  /** Whether a person whom Passport does not know yet gets an account by signing in. */
  signUp: 'open' | 'invited'
}

export interface Upstreams {
  all: Upstream[]
  find: (id: string) => Upstream | undefined
  /** What is needed to speak to a provider; asked of the provider when first needed and then once an hour. Rejects where it cannot be reached. */
  connect: (id: string) => Promise<client.Configuration>
}

/** Clocks may differ by so much (the 300 s of the specification, section 9). */
export const clockSkewSeconds = 300

const metadataMaxAgeMs = 60 * 60 * 1000
const timeoutSeconds = 10

/** The client by which Passport knows itself at its own directory. */
export const directoryClient = (publicUrl: string, vault: Vault) => ({
  clientId: 'passport',
  clientSecret: vault.derive('directory-client').toString('base64url'),
  redirectUri: callbackAddress(publicUrl, 'local'),
  postLogoutRedirectUri: `${publicUrl}/app/`,
})

/** Where a provider sends people back to. Each has its own, so that none can pass for another. */
export const callbackAddress = (publicUrl: string, id: string): string => `${publicUrl}/login/callback/${id}`

/** The providers of the configuration. `ownAddress` is where this very process listens. */
export function createUpstreams({ identityProviders, publicUrl }: Config, vault: Vault, ownAddress: string): Upstreams {
  const own = directoryClient(publicUrl, vault)
  const registered = identityProviders.map((provider) =>
    provider.kind === 'local'
      ? {
          ...provider,
          issuer: `${publicUrl}/idp`,
          identityIssuer,
          signUp: 'invited' as const,
          clientId: own.clientId,
          clientSecret: own.clientSecret,
        }
      : { ...provider, identityIssuer: provider.issuer },
  )
  const held = new Map<string, { configuration: Promise<client.Configuration>; readAt: number }>()
  const customFetch = fetchFromOurselves(publicUrl, ownAddress)

  async function discover(id: string) {
    const provider = registered.find((one) => one.id === id)
    if (!provider) throw new Error(`There is no identity provider ${id}`)
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
        [client.customFetch]: customFetch,
      },
    )
    // The library trusts the connection to the token endpoint; we check the signature as well.
    client.enableNonRepudiationChecks(configuration)
    return configuration
  }

  return {
    all: registered.map(({ id, name, kind, issuer, identityIssuer, signUp }) => ({
      id,
      name,
      kind,
      issuer,
      identityIssuer,
      signUp,
    })),
    find: (id) => registered.find((provider) => provider.id === id),
    connect: (id) => {
      const known = held.get(id)
      if (known && Date.now() - known.readAt < metadataMaxAgeMs) return known.configuration
      const configuration = discover(id)
      held.set(id, { configuration, readAt: Date.now() })
      configuration.catch(() => held.delete(id))
      return configuration
    },
  }
}
