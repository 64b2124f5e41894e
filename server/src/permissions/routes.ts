import { watchPath } from '@passport/contract/permissions'
import type { Room } from '../room.ts'
import { serveFiles } from './serve-files.ts'
import { serveQuestions } from './serve-questions.ts'
import { serveRelationships } from './serve-relationships.ts'
import { createPlaces } from './stream-places.ts'
import { streamChanges } from './watch-stream.ts'

/** The tools of the permission engine, whichever engine it is. */
export const permissions: Room = (routes, services) => {
  serveQuestions(routes, services)
  serveRelationships(routes, services)
  serveFiles(routes, services)
  const takePlace = createPlaces()
  routes.mount(watchPath, (incoming, outgoing) => streamChanges(services, incoming, outgoing, { takePlace }), {
    isRead: true,
  })
}
