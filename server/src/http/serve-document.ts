import type { Hono } from 'hono'
import { etagOf, NotModified, preconditionsOf, validatorHeaders } from './conditional.ts'
import type { Door } from './door.ts'
import type { Environment } from './environment.ts'
import { respond } from './respond.ts'

/** Serves a JSON document that does not change while the server runs. */
export function serveDocumentOn(app: Hono<Environment>, door: Door, path: `/${string}`, document: object): void {
  const body = JSON.stringify(document)
  const validators = { etag: etagOf(body) }
  app.get(path, (c) => {
    const { incoming } = c.env
    const { traceId } = c.get('visit')
    const shared = {
      'Cache-Control': 'no-cache',
      ...validatorHeaders(validators),
      ...door.corsHeaders(incoming.headers.origin),
    }
    try {
      preconditionsOf('GET', incoming.headers).check(validators)
      return respond(
        { status: 200, headers: { ...shared, 'Content-Type': 'application/json' }, body },
        door.standing,
        traceId,
      )
    } catch (error) {
      if (!(error instanceof NotModified)) throw error
      return respond({ status: 304, headers: shared }, door.standing, traceId)
    }
  })
}
