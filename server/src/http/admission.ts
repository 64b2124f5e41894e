import type { IncomingMessage } from 'node:http'
import { html } from 'hono/html'
import { createHostCheck } from './allowed-host.ts'
import type { HttpContext } from './http-context.ts'
import { isExemptFromLoad, isForMonitoring, type LoadLimiter, type LoadSlot } from './load.ts'
import { type Page, renderHead } from './page.ts'
import type { Problem } from './problem.ts'
import { malformedRequest, overloaded, wrongHost } from './problems.ts'
import { createSampledLog } from './sampled-log.ts'
import { findTargetProblem } from './target-limits.ts'
import type { Visit } from './visit.ts'

/** Why a request is refused before any work: a problem for programs, and a page for browsers if it has one of its own. */
export interface Refusal {
  problem: Problem
  page?: Page
}

export interface Admission {
  /** Undefined for a request that does not count as load, or was refused because of it. */
  slot: LoadSlot | undefined
  refusal: Refusal | undefined
}

/** Decides whether a request is admitted: by the load, its host and its target. `path` is that of the target. */
export type Admit = (incoming: IncomingMessage, visit: Visit, path: string) => Admission

export function createAdmission(http: HttpContext, loadLimiter: LoadLimiter): Admit {
  const warn = createSampledLog(http.log, 'overloaded', 1)
  const isOwnHost = createHostCheck(http)
  const isAllowedHost = (host: string, path: string, { headers }: IncomingMessage) =>
    isOwnHost(host, path, headers) || isForMonitoring(path) || isPageAsset(path)

  return (incoming, visit, path) => {
    const isCounted = !isExemptFromLoad(path)
    const slot = isCounted ? loadLimiter.admit() : undefined
    if (isCounted && !slot) {
      warn({})
      return { slot, refusal: refuseOverload() }
    }
    // HTTP/1.0 has none. Without one there is no address to name.
    if (visit.host === '') return { slot, refusal: { problem: malformedRequest('The request has no Host header.') } }
    if (!isAllowedHost(visit.host, path, incoming)) return { slot, refusal: refuseHost(visit, http) }
    const problem = findTargetProblem(incoming.url ?? '')
    return { slot, refusal: problem && { problem } }
  }
}

/** Refuses a request at much less cost than its own. */
function refuseOverload(): Refusal {
  const problem = overloaded()
  const title = 'Too many requests at once'
  return { problem, page: { status: 503, title, body: renderHead(title, problem.message), headers: problem.headers } }
}

/** Reports whether a path is an asset of the page for a wrong host name. */
const isPageAsset = (path: string) =>
  path === '/app/seal.svg' || /^\/app\/assets\/[\w.-]+\.(?:css|svg|woff2)$/.test(path)

/** Shows the setting to change: with another host name, browsers would not send the session, and redirect endlessly. */
function refuseHost({ host }: Visit, http: HttpContext): Refusal {
  const requestedUrl = `${http.isSecure ? 'https' : 'http'}://${host}`
  const body = html`<h1>This is not the address of ${http.readBrand().name}</h1>
    <p>This server is ${http.publicUrl}, but the request is for ${host}.</p>
    <p class="actions"><a class="button" href="${http.publicUrl}/app/">Go to ${http.publicUrl}</a></p>
    <p>To use this address instead, start the server with this setting:</p>
    <pre>PUBLIC_URL=${requestedUrl}</pre>`
  return { problem: wrongHost(http.publicUrl, host), page: { status: 421, title: 'Wrong address', body } }
}
