import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Sql } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { Services } from '../feature.ts'
import { type EventStream, type StreamOptions, serveEventStream } from '../http/event-stream.ts'
import { isClient } from '../http/identify.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** Subscribes to changes of a session's requests; resolves once no change can be missed. */
export interface DeviceEvents {
  on: (sessionId: string, listener: () => void) => Promise<() => void>
}

/** Listens to the database, for all connections of this process, from the first one on. */
export function subscribeToDeviceEvents(sql: Sql, log: Log): DeviceEvents {
  const listeners = new Map<string, Set<() => void>>()
  let listening: Promise<void> | undefined
  const notify = (sessionId: string) => {
    for (const listener of listeners.get(sessionId) ?? []) listener()
  }
  return {
    on: async (sessionId, listener) => {
      listening ??= subscribe(sql, log, 'device_authorizations', notify)
      const sessionListeners = listeners.get(sessionId) ?? new Set()
      listeners.set(sessionId, sessionListeners.add(listener))
      await listening
      return () => {
        sessionListeners.delete(listener)
        if (sessionListeners.size === 0) listeners.delete(sessionId)
      }
    },
  }
}

/**
 * Sends the browser that started a request its status, on each change, as events of the form `{ "status": "viewed" }`.
 * The session identifies the request; the URL contains no code. Throws 401, 429 and 503.
 */
export function streamDeviceStatus(
  services: Pick<Services, 'sql' | 'http' | 'stopping'>,
  events: DeviceEvents,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: Omit<StreamOptions, 'accessRules'>,
): Promise<void> {
  const accessRules = { access: 'signedIn' } as const
  return serveEventStream(services, incoming, outgoing, { accessRules, ...options }, (stream, caller) =>
    sendStatus(services.sql, events, caller && !isClient(caller) ? (caller.session?.id ?? '') : '', stream),
  )
}

async function sendStatus(sql: Sql, events: DeviceEvents, sessionId: string, { signal, open, send, end }: EventStream) {
  let lastStatus = ''
  const sendIfChanged = async () => {
    const { status } = (await store.findStatus(sql, sessionId)) ?? { status: 'none' }
    if (status === lastStatus) return
    lastStatus = status
    await send(`data: ${JSON.stringify({ status })}\n\n`)
  }
  const refresh = () => void sendIfChanged().catch(end)
  // Codes expire without a notification.
  if (!open(refresh)) return
  const unsubscribe = await events.on(sessionId, refresh)
  refresh()
  if (!signal.aborted) await once(signal, 'abort')
  unsubscribe()
}
