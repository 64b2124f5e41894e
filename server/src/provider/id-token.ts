import type { Client, KoaContextWithOIDC, Provider } from 'oidc-provider'
import { isKnown } from '../oauth/id-token.ts'

/** The library's ID token before it is signed; `available` has the claims that it may get. */
interface LibraryIdToken {
  available: Record<string, unknown>
  client: Client
  set: (claim: string, value: unknown) => void
  issue: (options: { use: string }) => Promise<string>
}

/** The claims about the authentication that the library adds only on request. */
const authenticationClaims = ['auth_time', 'amr', 'acr'] as const

/**
 * Adds `azp`, and how and when the user authenticated as far as that is known, to every ID token (OpenID Connect Core,
 * section 2). An identity provider may not report the time, which is then 0.
 */
export function completeIdTokens(provider: Provider): void {
  const { prototype } = provider.IdToken as unknown as { prototype: LibraryIdToken }
  const { issue } = prototype
  prototype.issue = function (options) {
    if (options.use === 'idtoken') {
      this.set('azp', this.client.clientId)
      for (const claim of authenticationClaims) {
        const value = this.available[claim]
        if (isKnown(value)) this.set(claim, value)
      }
    }
    return issue.call(this, options)
  }
}

/** Adds the claims of `completeIdTokens` to the discovery document. */
export function addTokenClaims({ body }: KoaContextWithOIDC): void {
  const { claims_supported: claims } = body as { claims_supported: string[] }
  claims.push(...['azp', ...authenticationClaims].filter((claim) => !claims.includes(claim)))
}
