import type { Services } from '../feature.ts'
import { createCookies } from '../http/cookies.ts'
import type { ProtocolEndpoint, ProtocolRequest } from '../http/protocol.ts'
import { RequestExpired } from './authorization-response.ts'
import type { createAuthorization } from './authorize.ts'
import { isRequestOfBrowser } from './pending-request.ts'

/**
 * Creates the endpoint that continues an authorization request after its user has signed in or given consent. It is read
 * again: the application and the user may have changed.
 */
export function createContinuation(
  { http, requests }: Services,
  { handle, readBrowser, findClient }: ReturnType<typeof createAuthorization>,
): ProtocolEndpoint {
  const get = (request: ProtocolRequest) => {
    const uid = request.path.slice(request.path.lastIndexOf('/') + 1)
    const cookies = createCookies(request.incoming.headers.cookie, http.isSecure)
    const token = cookies.get(http.sessionCookie)
    return handle(request, {
      uid,
      read: async (known, attempt) => {
        if (!isRequestOfBrowser(cookies, uid)) throw new RequestExpired()
        const browser = await readBrowser({ token, uid })
        const stored = browser.pending ? requests.openPending(browser.pending) : undefined
        if (!stored) throw new RequestExpired()
        known.parameters = new Map(Object.entries(stored.parameters))
        return { stored, client: await findClient(stored.clientId, attempt), browser }
      },
    })
  }
  return { methods: { GET: get } }
}
