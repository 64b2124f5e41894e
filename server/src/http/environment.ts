import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { LoadSlot } from './load.ts'
import type { Visit } from './visit.ts'

/** The values that the web framework carries through one exchange. */
export interface Environment {
  Bindings: HttpBindings
  Variables: {
    visit: Visit
    /** The pattern of the path; undefined if no route matched. */
    route: string | undefined
    /** Its place among the requests in progress; undefined if it does not count as load. */
    place: LoadSlot | undefined
  }
}

export type Context = HonoContext<Environment>
