import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { DeviceEvent } from '@passport/contract/device-authorization'
import type { Sql } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { Services } from '../feature.ts'
import { type EventStream, type StreamOptions, serveEventStream } from '../http/event-stream.ts'
import { isClient } from '../http/identify.ts'
import type { Log } from '../log.ts'
import * as store from './store.ts'

/** Notifications about the device requests of sessions. */
export interface DeviceEvents {
  /** Subscribes to the requests of a session. Resolves to the unsubscribe function once no change can be missed. */
  on: (sessionId: string, listener: () => void) => Promise<() => void>
}

/**
 * Creates the notifications of this process. All listeners share one subscription to the database, which the first one
 * starts.
 */
export function createDeviceEvents(sql: Sql, log: Log): DeviceEvents {
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
 * Streams the status of a request to the browser that started it, as events of the form `{ "status": "viewed" }`. The
 * session identifies the request, so the URL contains no code. Throws 401, 429 and 503.
 */
export function streamDeviceStatus(
  services: Pick<Services, 'sql' | 'http' | 'closing'>,
  events: DeviceEvents,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  options: Omit<StreamOptions, 'accessRules'>,
): Promise<void> {
  const accessRules = { access: 'signedIn', method: 'GET' } as const
  return serveEventStream(services, incoming, outgoing, { accessRules, ...options }, (stream, caller) =>
    sendStatus(services.sql, events, caller && !isClient(caller) ? (caller.session?.id ?? '') : '', stream),
  )
}

async function sendStatus(sql: Sql, events: DeviceEvents, sessionId: string, { signal, open, send, end }: EventStream) {
  let lastStatus = ''
  const sendIfChanged = async () => {
    const event: DeviceEvent = (await store.findStatus(sql, sessionId)) ?? { status: 'none' }
    if (event.status === lastStatus) return
    lastStatus = event.status
    await send(`data: ${JSON.stringify(event)}\n\n`)
  }
  const refresh = () => void sendIfChanged().catch(end)
  // Refreshes with each heartbeat too, because codes expire without a notification.
  if (!open(refresh)) return
  const unsubscribe = await events.on(sessionId, refresh)
  refresh()
  if (!signal.aborted) await once(signal, 'abort')
  unsubscribe()
}
