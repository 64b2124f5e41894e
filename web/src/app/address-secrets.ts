/**
 * What an address has that nobody else may see. It leaves the address and the history of the document before the app
 * requests or renders anything.
 */

/** The response of a service to `/connect/{connector}/callback`, or the token of `/connect/{connector}/undo`. */
export const connectResponse = takeSecret(/^\/app\/connect\/[^/]+\/(?:callback|undo)\/?$/, '')

/** The token of a set-up link. */
export const setupToken = takeSecret(/^\/app\/setup\/?$/, location.search)

/** Returns the fragment, or else the query unless it is kept, without `#` or `?`; empty on other pages. */
function takeSecret(path: RegExp, keptQuery: string): string {
  const { pathname, hash, search } = location
  if (!path.test(pathname)) return ''
  history.replaceState(history.state, '', pathname + keptQuery)
  return (hash || (keptQuery ? '' : search)).slice(1)
}
