import type { HttpBindings } from '@hono/node-server'
import type { Context as HonoContext } from 'hono'
import type { LoadSlot } from './load.ts'
import type { Visit } from './visit.ts'

/** The values that the web framework carries through a request. */
export interface Environment {
  Bindings: HttpBindings
  Variables: {
    visit: Visit
    /** The pattern of the path; undefined if no route matched. */
    route: string | undefined
    /** The code of the problem in the response; undefined for other responses. */
    problemCode: string | undefined
    /** The response stays open, so that its duration says nothing. */
    isStream: boolean | undefined
    /** The slot among the requests in progress; undefined if the request does not count as load. */
    loadSlot: LoadSlot | undefined
  }
}

export type Context = HonoContext<Environment>
