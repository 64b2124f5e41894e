import * as client from 'openid-client'
import { isTooLong } from './provider-choices.ts'
import type { RelyingParty } from './provider-clients.ts'

/** A request to end the session at a provider (OpenID Connect RP-Initiated Logout 1.0, section 2). */
export interface EndSessionRequest {
  /** Without the parameters of `form`. */
  url: string
  /** The parameters to send as a form, because the URL with them would be too long. */
  form?: Record<string, string>
}

/** Builds the request that ends the session at a provider; undefined if it has no endpoint for that. */
export function buildEndSessionRequest(
  { configuration, metadata, registration }: RelyingParty,
  { idToken, returnUrl }: { idToken: string; returnUrl: string },
): EndSessionRequest | undefined {
  if (!metadata.end_session_endpoint) return undefined
  const { clientId, postLogoutRedirect = true } = registration
  const parameters = {
    id_token_hint: idToken,
    client_id: clientId,
    // A provider shows an error, and keeps its session, unless the address is registered there.
    ...(postLogoutRedirect && { post_logout_redirect_uri: returnUrl }),
  }
  const url = client.buildEndSessionUrl(configuration, parameters)
  return isTooLong(url) ? { url: metadata.end_session_endpoint, form: parameters } : { url: url.href }
}
