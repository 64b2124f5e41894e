import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ServerType, serve } from '@hono/node-server'
import type { Hono } from 'hono'

/** An app that is served on 127.0.0.1. */
export interface ServedApp {
  server: ServerType
  port: number
  stop: () => Promise<void>
}

/** Serves an app on 127.0.0.1, by default on a free port. Resolves when the server listens. */
export async function serveApp(app: Hono, port = 0): Promise<ServedApp> {
  const server = serve({ fetch: app.fetch, port, hostname: '127.0.0.1', overrideGlobalObjects: false })
  await once(server, 'listening')
  return {
    server,
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        if ('closeAllConnections' in server) server.closeAllConnections()
      }),
  }
}
