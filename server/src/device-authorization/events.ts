import type { IncomingMessage, ServerResponse } from 'node:http'
import { hear } from '../database/hear.ts'
import type { Sql } from '../database/sql.ts'
import { admit } from '../http/caller.ts'
import { createCookies } from '../http/cookies.ts'
import type { Log } from '../http/log.ts'
import type { Services } from '../room.ts'
import * as store from './store.ts'

/** Longer than any code lives; the browser connects again where it still wants to know. */
const longestMs = 15 * 60_000
/** Keeps proxies from closing the connection, and notices what has run out by itself. */
const beatMs = 20_000

/** Calls whoever waits for news of the requests of a session; resolves once nothing can be missed any more. */
export interface DeviceNews {
  on: (sessionId: string, listener: () => void) => Promise<() => void>
}

/** Hears of changes from the database, for all connections of this process, from the first one on. */
export function hearDeviceNews(sql: Sql, log: Log): DeviceNews {
  const listeners = new Map<string, Set<() => void>>()
  let listening: Promise<void> | undefined
  const tell = (sessionId: string) => {
    for (const listener of listeners.get(sessionId) ?? []) listener()
  }
  return {
    on: async (sessionId, listener) => {
      listening ??= hear(sql, log, 'device_authorizations', tell)
      const those = listeners.get(sessionId) ?? new Set()
      listeners.set(sessionId, those.add(listener))
      await listening
      return () => {
        those.delete(listener)
        if (those.size === 0) listeners.delete(sessionId)
      }
    },
  }
}

/**
 * Tells the browser that began a request how it stands, whenever that changes: server-sent events (HTML, section 9.2)
 * of the form `{ "status": "viewed" }`. Which request is known by the session; no code is in the address. Throws 401.
 */
export async function streamDeviceStatus(
  { sql, door, stopping }: Pick<Services, 'sql' | 'door' | 'stopping'>,
  news: DeviceNews,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  // From the first moment on: who leaves while something is waited for would be missed.
  const over = new AbortController()
  outgoing.once('close', () => over.abort())
  const token = createCookies(incoming.headers.cookie, door.isSecure).get(door.sessionCookie)
  const caller = token ? await door.identify.bySession(token) : undefined
  admit(caller, 'signedIn')
  const sessionId = caller?.session?.id ?? ''
  outgoing.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
  })
  if (incoming.method === 'HEAD') return void outgoing.end()
  const end = () => outgoing.end()
  let told = ''
  const look = async () => {
    const { status } = (await store.findStatus(sql, sessionId)) ?? { status: 'none' }
    if (status === told || outgoing.writableEnded) return
    outgoing.write(`data: ${JSON.stringify({ status })}\n\n`)
    told = status
  }
  const lookAgain = () => void look().catch(end)
  whenAborted(stopping, end, over.signal)
  const stopHearing = await news.on(sessionId, lookAgain)
  const beat = setInterval(() => {
    outgoing.write(': still here\n\n')
    lookAgain()
  }, beatMs)
  const timeout = setTimeout(end, longestMs)
  whenAborted(over.signal, () => {
    stopHearing()
    clearInterval(beat)
    clearTimeout(timeout)
  })
  await look()
}

/** Does it at once where it is aborted already; no more once `until` is. */
function whenAborted(signal: AbortSignal, work: () => void, until?: AbortSignal) {
  if (signal.aborted) work()
  else signal.addEventListener('abort', work, { once: true, ...(until && { signal: until }) })
}
