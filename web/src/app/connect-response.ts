/**
 * The response of a service to `/connect/{connector}/callback`, or the token of `/connect/{connector}/undo`, without `#`
 * or `?`. It leaves the address and the history of the document before the app requests or renders anything.
 */
export const connectResponse = takeResponse()

function takeResponse(): string {
  const { pathname, hash, search } = location
  if (!/^\/app\/connect\/[^/]+\/(?:callback|undo)\/?$/.test(pathname)) return ''
  history.replaceState(history.state, '', pathname)
  return (hash || search).slice(1)
}
