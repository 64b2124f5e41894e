import type { Client } from '../clients/store.ts'

/** The client fields that decide about redirect URIs. */
export type RedirectClient = Pick<Client, 'redirectUris' | 'isConfidential'>

/**
 * Reports whether a client is an app on a device: public, with redirect URIs of a private scheme or the loopback
 * address, at any port (RFC 8252, section 7). `http://localhost` is a web application in development.
 */
export const isNative = ({ isConfidential, redirectUris }: RedirectClient): boolean =>
  !isConfidential &&
  redirectUris.length > 0 &&
  redirectUris.every((uri) => !/^https?:/.test(uri) || /^http:\/\/(127\.0\.0\.1|\[::1\])[:/]/.test(uri))

/**
 * Reports whether a redirect URI is registered: equal to a registered one (RFC 6749, section 3.1.2.3) or, for an app on
 * a device, equal but for the port of the loopback address (RFC 8252, section 7.3).
 */
export function isRegistered(client: RedirectClient, uri: string): boolean {
  if (client.redirectUris.includes(uri)) return true
  if (!isNative(client) || !URL.canParse(uri)) return false
  const withoutPort = removeLoopbackPort(uri)
  return withoutPort !== undefined && client.redirectUris.some((each) => removeLoopbackPort(each) === withoutPort)
}

/** Removes the port of a URI of the loopback address; undefined for any other URI. */
function removeLoopbackPort(uri: string): string | undefined {
  const [start, host] = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?#]|$)/.exec(uri) ?? []
  return start && `http://${host}${uri.slice(start.length)}`
}
