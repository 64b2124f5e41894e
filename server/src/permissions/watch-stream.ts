import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listRelationships, watchQuery } from '@passport/contract/permissions'
import type { WatchEvent } from '@passport/permissions/engine'
import { PermissionFault } from '@passport/permissions/fault'
import type { RelationshipFilter } from '@passport/permissions/relationship'
import { createCookies } from '../http/cookies.ts'
import { admitted, isClient } from '../http/identify.ts'
import { refuseUnknownParameters } from '../http/parse.ts'
import type { Services } from '../room.ts'
import { problemOf, told } from './fault-problem.ts'
import type { TakePlace } from './stream-places.ts'
import { toldRelationship } from './told.ts'

/** Keeps proxies from closing the connection, and notices who may watch no more. */
const usualBeatMs = 20_000
/** Clients connect again by themselves, from where they were. */
const longestMs = 15 * 60_000

/**
 * Tells each commit after `from`, or after the one that `Last-Event-ID` names, as a server-sent event (HTML, section
 * 9.2) whose id is its token. Throws 401, 403, 429 and 503; a fault that comes later is the last event, named
 * `problem`. Ends soon after who watches may no more: their token is over, or they or their role are gone.
 */
export async function streamChanges(
  services: Pick<Services, 'permissions' | 'door' | 'stopping'>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { takePlace, beatMs = usualBeatMs }: { takePlace: TakePlace; beatMs?: number },
): Promise<void> {
  const { door } = services
  const cookies = createCookies(incoming.headers.cookie, door.isSecure)
  const admit = (again?: { wasProven: true }) => admitted(listRelationships, door, cookies, incoming, again)
  const caller = await admit()
  const leave = takePlace(isClient(caller) ? `client ${caller.clientId}` : (caller?.id ?? ''))
  try {
    await stream(services, incoming, outgoing, { admit: () => admit({ wasProven: true }), beatMs })
  } finally {
    leave()
  }
}

async function stream(
  { permissions: engine, door, stopping }: Pick<Services, 'permissions' | 'door' | 'stopping'>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { admit, beatMs }: { admit: () => Promise<unknown>; beatMs: number },
): Promise<void> {
  const over = new AbortController()
  outgoing.once('close', () => over.abort())
  if (outgoing.closed) return
  const until = AbortSignal.any([over.signal, stopping, AbortSignal.timeout(longestMs)])
  const { from, filters, fields } = readQuestion(incoming)
  await refuseUnknown(engine, filters)
  const filter = filters.length > 0 ? { relationships: filters } : {}
  const events = engine.watch(from, filter, until)[Symbol.asyncIterator]()
  // The first is asked for before anything is sent: a token that is none is refused as any other question is.
  const first = events.next()
  first.catch(() => {})
  await Promise.race([first, soon()]).catch((error) => {
    throw error instanceof PermissionFault ? problemOf(error, fields) : error
  })
  outgoing.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  })
  if (incoming.method === 'HEAD') {
    over.abort()
    outgoing.end()
    return
  }
  outgoing.write(': watching\n\n')
  const send = async (text: string) => {
    if (!outgoing.write(text)) await once(outgoing, 'drain', { signal: until })
  }
  const beat = setInterval(() => {
    if (!outgoing.writableNeedDrain) outgoing.write(': still here\n\n')
    admit().catch(() => over.abort())
  }, beatMs)
  until.addEventListener('abort', () => outgoing.end(), { once: true })
  try {
    for (let { value, done } = await first; !done; { value, done } = await events.next()) {
      if (until.aborted) break
      if (value) await send(printEvent(value))
    }
  } catch (error) {
    if (!until.aborted) outgoing.write(printFault(error, door))
  } finally {
    clearInterval(beat)
    outgoing.end()
  }
}

/** Longer than an engine takes to see that a token is none. */
const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 100).unref())

/**
 * `fields` tells what `from` is called in this request. A browser that connects again has its last id in the header.
 * Throws `unknown-parameter`: what is misspelt would be watched whole.
 */
function readQuestion(incoming: IncomingMessage) {
  const text = (incoming.url ?? '').split('?')[1] ?? ''
  refuseUnknownParameters(watchQuery, text)
  const query = new URLSearchParams(text)
  query.delete('api-version')
  const { from, resourceType, ...rest } = Object.fromEntries(query)
  const types = query.getAll('resourceType')
  const last = incoming.headers['last-event-id']
  const isAgain = typeof last === 'string' && last !== ''
  return {
    from: isAgain ? last : from || undefined,
    filters:
      types.length > 0
        ? types.map((type) => ({ ...rest, resourceType: type }))
        : Object.keys(rest).length > 0
          ? [rest]
          : [],
    fields: isAgain ? { from: 'Last-Event-ID' } : {},
  }
}

/** Throws 400 for what the schema does not have, and for ids that can be none: nothing would ever be told of it. */
const refuseUnknown = (engine: Services['permissions'], filters: RelationshipFilter[]) =>
  told(() => Promise.all(filters.map((filter) => engine.readRelationships(filter, { limit: 1 }))), { filter: '' })

function printEvent({ token, updates, isSchemaChange, isCheckpoint }: WatchEvent): string {
  if (isCheckpoint) return `event: checkpoint\nid: ${token}\ndata: ${JSON.stringify({ token })}\n\n`
  const changes = updates.map(({ operation, relationship }) => ({
    operation,
    relationship: toldRelationship(relationship),
  }))
  return `id: ${token}\ndata: ${JSON.stringify({ token, updates: changes, isSchemaChange })}\n\n`
}

function printFault(error: unknown, { log }: Services['door']): string {
  if (error instanceof PermissionFault) {
    const { code, message } = problemOf(error)
    return `event: problem\ndata: ${JSON.stringify({ code, detail: message })}\n\n`
  }
  log.error({ err: error }, 'watch-failed')
  return 'event: problem\ndata: {"code":"internal-error"}\n\n'
}
