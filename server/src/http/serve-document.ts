import type { Hono } from 'hono'
import { etagOf, NotModified, preconditionsOf, type Validators, validatorHeaders } from './conditional.ts'
import type { Door } from './door.ts'
import type { Environment } from './environment.ts'
import { respond } from './respond.ts'

/** Serves a JSON document that does not change while the server runs, and is made when it is first asked for. */
export function serveDocumentOn(app: Hono<Environment>, door: Door, path: `/${string}`, make: () => object): void {
  let made: { body: string; validators: Validators } | undefined
  app.get(path, (c) => {
    made ??= written(make())
    const { body, validators } = made
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

function written(document: object) {
  const body = JSON.stringify(document)
  return { body, validators: { etag: etagOf(body) } }
}
