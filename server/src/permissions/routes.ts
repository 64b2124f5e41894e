import { watchPath } from '@passport/contract/permissions'
import type { Feature } from '../feature.ts'
import { createStreamSlots } from '../http/stream-slots.ts'
import { serveWithProblems } from './error-problem.ts'
import { serveChecks } from './serve-checks.ts'
import { serveSchemaAndFiles } from './serve-files.ts'
import { serveRelationships } from './serve-relationships.ts'
import { streamChanges } from './watch-stream.ts'

/** The routes of the permission tools, for any engine. */
export const permissions: Feature = (routes, services) => {
  const serve = serveWithProblems(routes.serve)
  serveChecks(serve, services)
  serveRelationships(serve, services)
  serveSchemaAndFiles(serve, services)
  const acquireSlot = createStreamSlots()
  routes.mount(watchPath, (incoming, outgoing) => streamChanges(services, incoming, outgoing, { acquireSlot }), {
    isRead: true,
    isStream: true,
  })
}
