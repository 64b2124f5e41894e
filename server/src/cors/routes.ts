import * as api from '@passport/contract/cors'
import type { Feature } from '../feature.ts'
import * as problems from './problems.ts'

/** The origins that may call this server from a browser; `http/` sends the headers. */
export const cors: Feature = ({ serve }, { config: { stack, corsOrigins } }) => {
  // Names come from the path, and `constructor` is a property of every object.
  const findOrigins = (name: string) => (Object.hasOwn(corsOrigins, name) ? corsOrigins[name]?.toSorted() : undefined)

  serve(api.listCorsOrigins, () => findOrigins(stack) ?? [])
  serve(api.listStackCorsOrigins, ({ params }) => {
    const origins = findOrigins(params.stack) ?? (params.stack === stack ? [] : undefined)
    if (!origins) throw problems.stackNotFound(params.stack)
    return origins
  })
}
