import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { Visit } from './visit.ts'

/** What the web framework carries for us through one exchange. */
export interface Environment {
  Bindings: HttpBindings
  Variables: { visit: Visit }
}

export type Context = HonoContext<Environment>
