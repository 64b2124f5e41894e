import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import { takeBody } from './body.ts'
import type { Door } from './door.ts'
import type { Environment } from './environment.ts'
import { answerOtherMethod } from './other-methods.ts'
import { respondWithFailure } from './page.ts'
import type { AddressLimit } from './rate-limit.ts'
import { refuseUnstorable } from './storable.ts'
import type { Visit } from './visit.ts'

/** Gives every request under a path to something that speaks to Node itself. */
export type Mount = (
  path: `/${string}`,
  answer: (incoming: IncomingMessage, outgoing: ServerResponse, visit: Visit) => Promise<void>,
  options?: {
    rateLimit?: AddressLimit
    /** It is only read: GET and HEAD. What is to be sent for HEAD is for `answer` to end after its headers. */
    isRead?: true
  },
) => void

const reading = ['GET', 'HEAD']

export function mountOn(app: Hono<Environment>, door: Door): Mount {
  return (path, answer, { rateLimit, isRead } = {}) => {
    const limit = rateLimit && door.limitAddress(rateLimit)
    app.all(path, async (c) => {
      const { incoming, outgoing } = c.env
      if (isRead && !reading.includes(c.req.method)) return answerOtherMethod(c, door, [...reading, 'OPTIONS'])
      const visit = c.get('visit')
      try {
        await limit?.(visit)
        await refuseUnstorableRequest(incoming)
      } catch (error) {
        if (!c.req.header('accept')?.includes('text/html')) throw error
        return respondWithFailure(error, c, door)
      }
      const standing = { ...door.standing, 'x-trace-id': visit.traceId }
      for (const [name, value] of Object.entries(standing)) outgoing.setHeader(name, value)
      await answer(incoming, outgoing, visit)
      return RESPONSE_ALREADY_SENT
    })
  }
}

/** Looks at what will be read behind the mount, and leaves it there. */
async function refuseUnstorableRequest(incoming: IncomingMessage) {
  const [path = '', query] = (incoming.url ?? '').split('?', 2)
  refuseUnstorable([['path', decoded(path)]], new URLSearchParams(query))
  if (!incoming.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return
  const body = await takeBody(incoming)
  if (body.length > 0) incoming.unshift(body)
  refuseUnstorable(new URLSearchParams(body.toString('utf8')))
}

/** The path as whoever is behind the mount will read it; what cannot be decoded holds nothing. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '\0'
  }
}
