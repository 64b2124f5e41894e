import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import { rejectAbandoned, whileClientSends } from './abandoned.ts'
import type { Environment } from './environment.ts'
import { readForm } from './form.ts'
import type { HttpContext } from './http-context.ts'
import { respondToOtherMethod } from './other-methods.ts'
import { respondWithFailure } from './page.ts'
import type { AddressLimit } from './rate-limit.ts'
import { rejectInvalidTarget, rejectInvalidText } from './valid-text.ts'
import type { Visit } from './visit.ts'

/** Passes every request under a path to a handler of Node's request and response. */
export type Mount = (
  path: `/${string}`,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse, visit: Visit) => Promise<void>,
  options?: {
    rateLimit?: AddressLimit
    /** Allows only GET and HEAD. For HEAD, `handle` must end the response after the headers. */
    isRead?: true
    /** The response stays open and mostly waits, so it does not count as load. */
    isStream?: true
  },
) => void

const readMethods = ['GET', 'HEAD']

export function mountOn(app: Hono<Environment>, http: HttpContext): Mount {
  return (path, handle, { rateLimit, isRead, isStream } = {}) => {
    const limit = rateLimit && http.limitAddress(rateLimit)
    app.all(path, async (c) => {
      c.set('route', path)
      const { incoming, outgoing } = c.env
      if (isRead && !readMethods.includes(c.req.method))
        return respondToOtherMethod(c, http, [...readMethods, 'OPTIONS'])
      const visit = c.get('visit')
      try {
        await limit?.(visit)
        await whileClientSends(c, () => rejectInvalidTextInRequest(incoming))
      } catch (error) {
        if (!c.req.header('accept')?.includes('text/html')) throw error
        return respondWithFailure(error, c, http)
      }
      rejectAbandoned(c)
      c.set('isStream', isStream)
      if (isStream) c.get('loadSlot')?.release()
      const standardHeaders = { ...http.standardHeaders, 'x-trace-id': visit.traceId }
      for (const [name, value] of Object.entries(standardHeaders)) outgoing.setHeader(name, value)
      await handle(incoming, outgoing, visit)
      return RESPONSE_ALREADY_SENT
    })
  }
}

/** Throws 400 if the path, the query or the form cannot be stored. The handler can read the form again. */
async function rejectInvalidTextInRequest(incoming: IncomingMessage) {
  const [path = '', query = ''] = (incoming.url ?? '').split('?', 2)
  rejectInvalidTarget(path, query)
  const form = await readForm(incoming)
  if (form) rejectInvalidText(form)
}
