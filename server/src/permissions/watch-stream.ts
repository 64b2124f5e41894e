import type { IncomingMessage, ServerResponse } from 'node:http'
import { listRelationships, watchQuery } from '@passport/contract/permissions'
import { PermissionError, type RelationshipFilter, type WatchEvent } from '@passport/permissions'
import type { Services } from '../feature.ts'
import { type EventStream, type StreamOptions, serveEventStream } from '../http/event-stream.ts'
import { rejectUnknownParameters } from '../http/parse.ts'
import { toProblem, withProblems } from './error-problem.ts'
import { toWireRelationship } from './to-wire.ts'

/**
 * Sends each commit after `from`, or after `Last-Event-ID`, as a server-sent event with its token as the id. Throws
 * problems with 400, 401, 403, 410, 429 and 503. An error after the first event is sent as the last one, named `problem`.
 */
export function streamChanges(
  services: Pick<Services, 'permissions' | 'http' | 'closing'>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: Omit<StreamOptions, 'accessRules'>,
): Promise<void> {
  const { permissions: engine, http } = services
  return serveEventStream(services, incoming, outgoing, { accessRules: listRelationships, ...options }, (stream) =>
    sendChanges(engine, incoming, stream, http),
  )
}

async function sendChanges(
  engine: Services['permissions'],
  incoming: IncomingMessage,
  { signal: until, open, send }: EventStream,
  http: Services['http'],
): Promise<void> {
  const { from, filters, fields } = parseRequest(incoming)
  await rejectUnknownNames(engine, filters)
  const events = engine.watch(from, filters, until)[Symbol.asyncIterator]()
  // Requests the first event before sending anything, so that an invalid token gets a normal error response.
  const first = events.next()
  first.catch(() => {})
  await Promise.race([first, waitBriefly()]).catch((error) => {
    throw error instanceof PermissionError ? toProblem(error, fields) : error
  })
  if (!open()) return
  try {
    await send(': watching\n\n')
    for (let { value, done } = await first; !done; { value, done } = await events.next()) {
      if (until.aborted) break
      if (value) await send(formatEvent(value))
    }
  } catch (error) {
    if (!until.aborted) await send(formatError(error, http))
  }
}

/** Waits longer than an engine takes to reject an invalid token. */
const waitBriefly = () => new Promise<void>((resolve) => setTimeout(resolve, 100).unref())

/**
 * Parses the start and the filters, one for each resource type. `fields` maps `from` to the header in which a
 * reconnecting browser sends its last id. Throws `unknown-parameter`, because a misspelt filter would watch everything.
 */
function parseRequest(incoming: IncomingMessage) {
  const text = (incoming.url ?? '').split('?')[1] ?? ''
  rejectUnknownParameters(watchQuery, text)
  const query = new URLSearchParams(text)
  query.delete('api-version')
  const { from, resourceType, ...rest } = Object.fromEntries(query)
  const types = query.getAll('resourceType')
  const lastEventId = incoming.headers['last-event-id']
  const isReconnect = typeof lastEventId === 'string' && lastEventId !== ''
  return {
    from: isReconnect ? lastEventId : from || undefined,
    filters:
      types.length > 0
        ? types.map((type) => ({ ...rest, resourceType: type }))
        : Object.keys(rest).length > 0
          ? [rest]
          : [],
    fields: isReconnect ? { from: 'Last-Event-ID' } : {},
  }
}

/** Throws the errors of `readRelationships` for names that are not in the schema and malformed ids. */
const rejectUnknownNames = (engine: Services['permissions'], filters: RelationshipFilter[]) =>
  withProblems(() => Promise.all(filters.map((filter) => engine.readRelationships(filter, { limit: 1 }))), {
    filter: '',
  })

function formatEvent({ token, updates, isSchemaChange, isCheckpoint }: WatchEvent): string {
  if (isCheckpoint) return `event: checkpoint\nid: ${token}\ndata: ${JSON.stringify({ token })}\n\n`
  const changes = updates.map(({ operation, relationship }) => ({
    operation,
    relationship: toWireRelationship(relationship),
  }))
  return `id: ${token}\ndata: ${JSON.stringify({ token, updates: changes, isSchemaChange })}\n\n`
}

function formatError(error: unknown, { log }: Services['http']): string {
  if (error instanceof PermissionError) {
    const { code, message } = toProblem(error)
    return `event: problem\ndata: ${JSON.stringify({ code, detail: message })}\n\n`
  }
  log.error({ err: error }, 'watch-failed')
  return 'event: problem\ndata: {"code":"internal-error"}\n\n'
}
