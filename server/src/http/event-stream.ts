import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, ClientCaller } from './caller.ts'
import { createCookies } from './cookies.ts'
import type { HttpContext } from './http-context.ts'
import { type AccessRules, authenticate, isClient, isSetup } from './identify.ts'
import { sessionRequired } from './problems.ts'
import type { AcquireSlot } from './stream-slots.ts'

/** Heartbeats keep proxies from closing the connection, and detect callers who lost access. */
const defaultHeartbeatMs = 20_000
/** Clients reconnect automatically after the end. */
const maxDurationMs = 15 * 60_000

/** A stream of server-sent events (HTML, section 9.2). */
export interface EventStream {
  /** Aborted when the stream ends. */
  signal: AbortSignal
  /**
   * Sends the headers and starts calling `onHeartbeat` at each heartbeat. Returns false for HEAD, whose response is
   * then complete.
   */
  open: (onHeartbeat?: () => void) => boolean
  /** Sends a text, and waits until the client reads. Rejects if the stream ends while it waits. */
  send: (text: string) => Promise<void>
  end: () => void
}

export interface StreamOptions {
  accessRules: AccessRules
  acquireSlot: AcquireSlot
  heartbeatMs?: number | undefined
}

/**
 * Authorizes the caller, acquires a slot, and runs a stream of events until the client disconnects, the server stops or
 * 15 minutes have passed. Each heartbeat authorizes the caller again, so that the stream ends with their session, token
 * or role. Throws 401, 403, 429, 503.
 */
export async function serveEventStream(
  { http, closing }: { http: HttpContext; closing: AbortSignal },
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { accessRules, acquireSlot, heartbeatMs = defaultHeartbeatMs }: StreamOptions,
  run: (stream: EventStream, caller: Caller | ClientCaller | undefined) => Promise<void>,
): Promise<void> {
  // Registered before the first await, which would miss the event of a client that disconnects.
  const closed = new AbortController()
  outgoing.once('close', () => closed.abort())
  const cookies = createCookies(incoming.headers.cookie, http.isSecure)
  const visit = http.readVisit(incoming)
  const authorizeCaller = async (recheck?: { wasProven: true }) => {
    const caller = await authenticate(accessRules, http, cookies, incoming, visit, recheck)
    if (isSetup(caller)) throw sessionRequired()
    return caller
  }
  const caller = await authorizeCaller()
  if (outgoing.closed) return
  const release = acquireSlot(isClient(caller) ? `client ${caller.clientId}` : (caller?.id ?? ''))
  const signal = AbortSignal.any([closed.signal, closing, AbortSignal.timeout(maxDurationMs)])
  let heartbeat: NodeJS.Timeout | undefined
  const open = (onHeartbeat?: () => void): boolean => {
    outgoing.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
    if (incoming.method === 'HEAD') {
      closed.abort()
      return false
    }
    whenAborted(signal, () => outgoing.end())
    heartbeat = setInterval(() => {
      if (!outgoing.writableNeedDrain && !signal.aborted) outgoing.write(': still here\n\n')
      authorizeCaller({ wasProven: true }).then(onHeartbeat, () => closed.abort())
    }, heartbeatMs)
    return true
  }
  const send = async (text: string) => {
    if (!signal.aborted && !outgoing.write(text)) await once(outgoing, 'drain', { signal })
  }
  try {
    await run({ signal, open, send, end: () => closed.abort() }, caller)
  } catch (error) {
    if (!outgoing.headersSent) throw error
    if (!signal.aborted) http.log.error({ err: error }, 'stream-failed')
  } finally {
    clearInterval(heartbeat)
    release()
    if (outgoing.headersSent) outgoing.end()
  }
}

/** Runs at once if the signal is aborted already. */
function whenAborted(signal: AbortSignal, work: () => void) {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true })
}
