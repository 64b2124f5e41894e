import { readFileSync } from 'node:fs'
import type { Clients } from '../clients/cache.ts'
import type { HttpContext } from '../http/http-context.ts'
import type { Mount } from '../http/mount.ts'

const path = '/connect/checksession'
const script = readFileSync(new URL('./check-session-frame.js', import.meta.url))

/** Returns the URL of `check_session_iframe` (OpenID Connect Session Management 1.0, section 3.3). */
export const checkSessionIframeUrlOf = (publicUrl: string): string => publicUrl + path

/**
 * Serves the OP iframe, which pages of clients poll for changes of the session, and its script. Only the page that embeds
 * it is named as an ancestor, if its origin is that of a client: a list would disclose all applications.
 */
export function serveCheckSession(mount: Mount, clients: Clients, http: HttpContext): void {
  const frame = `<!doctype html><meta charset="utf-8"><title>Session check</title><script src="${path}.js"></script>`
  mount(path, async ({ headers }, outgoing) => {
    const embedder = URL.parse(headers.referer ?? '')?.origin ?? ''
    const ancestors = [http.publicUrl, ...(await clients.origins()).filter((origin) => origin === embedder)]
    outgoing.removeHeader('X-Frame-Options')
    outgoing.removeHeader('Cross-Origin-Resource-Policy')
    outgoing.removeHeader('Cross-Origin-Opener-Policy')
    outgoing.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-cache',
      Vary: 'Referer',
      'Content-Security-Policy': `default-src 'none'; script-src 'self'; base-uri 'none'; frame-ancestors ${[...new Set(ancestors)].join(' ')}`,
    })
    outgoing.end(frame)
  })
  mount(`${path}.js`, async (_incoming, outgoing) => {
    outgoing.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-cache' })
    outgoing.end(script)
  })
}
