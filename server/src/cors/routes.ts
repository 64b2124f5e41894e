import * as api from '@passport/contract/cors'
import { Problem } from '../http/problem.ts'
import type { Room } from '../room.ts'

/** Which origins may call from a browser; the headers that follow from it are the door's. */
export const cors: Room = ({ serve }, { config: { stack, corsOrigins } }) => {
  // Names come from the path, and `constructor` is a property of every object.
  const originsOf = (name: string) => (Object.hasOwn(corsOrigins, name) ? corsOrigins[name]?.toSorted() : undefined)

  serve(api.listCorsOrigins, () => originsOf(stack) ?? [])
  serve(api.listStackCorsOrigins, ({ params }) => {
    const origins = originsOf(params.stack) ?? (params.stack === stack ? [] : undefined)
    if (!origins) throw new Problem(404, 'stack-not-found', `There is no stack ${params.stack}.`)
    return origins
  })
}
