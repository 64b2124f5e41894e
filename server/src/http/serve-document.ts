import type { Hono } from 'hono'
import { etagOf, formatValidators, NotModified, readPreconditions, type Validators } from './conditional.ts'
import type { Environment } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import { respond } from './respond.ts'

/** Serves a JSON document that is constant while the server runs, generated on the first request. */
export function serveDocumentOn(
  app: Hono<Environment>,
  http: HttpContext,
  path: `/${string}`,
  generate: () => object,
): void {
  let rendered: { body: Uint8Array<ArrayBuffer>; validators: Validators } | undefined
  app.get(path, (c) => {
    c.set('route', path)
    rendered ??= render(generate())
    const { body, validators } = rendered
    const { incoming } = c.env
    const { traceId } = c.get('visit')
    const sharedHeaders = {
      'Cache-Control': 'no-cache',
      ...formatValidators(validators),
      ...http.corsHeaders(incoming.headers.origin),
    }
    try {
      readPreconditions('GET', incoming.headers).check(validators)
      return respond(
        { status: 200, headers: { ...sharedHeaders, 'Content-Type': 'application/json' }, body },
        http.standardHeaders,
        traceId,
      )
    } catch (error) {
      if (!(error instanceof NotModified)) throw error
      return respond({ status: 304, headers: sharedHeaders }, http.standardHeaders, traceId)
    }
  })
}

function render(document: object) {
  const text = JSON.stringify(document)
  return { body: new TextEncoder().encode(text), validators: { etag: etagOf(text) } }
}
