import { type Connection, close, type DriverSql, openConnection, randomPauseMs, sendText } from './connection.ts'

interface Listener {
  channel: string
  notify: (payload: string) => void
  onListening: (() => void) | undefined
}

/** The subscriptions of a pool, on a connection of their own. */
interface Notifications {
  /** Subscribes to a channel; if the connection is lost, subscribes again on a new one. */
  listen: (channel: string, notify: (payload: string) => void, onListening?: () => void) => Promise<void>
  /** Continues on a new connection. */
  renew: () => void
  connections: () => Connection[]
  end: () => Promise<void>
}

export function createNotifications(base: DriverSql): Notifications {
  const listeners: Listener[] = []
  let connection: Connection | undefined
  let isEnded = false

  function open(): Connection {
    const onnotify = (channel: string, payload: string) => {
      for (const listener of listeners) if (listener.channel === channel) listener.notify(payload)
    }
    const opened = openConnection(base, { onnotify, fetch_types: false })
    opened.onLost = () => void setTimeout(reopen, randomPauseMs())
    return opened
  }

  function reopen() {
    if (isEnded) return
    connection = open()
    for (const listener of listeners) start(connection, listener).catch(() => {})
  }

  async function start(connection: Connection, { channel, onListening }: Listener) {
    try {
      await sendText(connection, `listen "${channel.replaceAll('"', '""')}"`)
    } catch (error) {
      void close(connection)
      throw error
    }
    onListening?.()
  }

  return {
    listen: async (channel, notify, onListening) => {
      const listener = { channel, notify, onListening }
      listeners.push(listener)
      connection ??= open()
      await start(connection, listener)
    },
    renew: () => {
      if (connection) void close(connection)
    },
    connections: () => (connection ? [connection] : []),
    end: async () => {
      isEnded = true
      if (connection) await close(connection)
    },
  }
}
