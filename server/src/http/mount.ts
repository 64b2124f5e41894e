import type { IncomingMessage, ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Hono } from 'hono'
import type { Door } from './door.ts'
import type { Environment } from './environment.ts'

/** Gives every request under a path to something that speaks to Node itself. */
export type Mount = (
  path: `/${string}`,
  answer: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>,
) => void

export function mountOn(app: Hono<Environment>, door: Door): Mount {
  return (path, answer) => {
    app.all(path, async (c) => {
      const { incoming, outgoing } = c.env
      const standing = { ...door.standing, 'x-trace-id': c.get('visit').traceId }
      for (const [name, value] of Object.entries(standing)) outgoing.setHeader(name, value)
      await answer(incoming, outgoing)
      return RESPONSE_ALREADY_SENT
    })
  }
}
