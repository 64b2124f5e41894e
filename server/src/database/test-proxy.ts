import { connect, createServer, type Socket } from 'node:net'
import { inject } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'

/** A proxy between the server and the test database that simulates network failures. */
export interface TestProxy {
  /** Returns the URL of a database through this proxy. */
  url: (database: string) => string
  /** Resets all connections, and accepts new ones. */
  reset: () => void
  /** Ends all connections and rejects new ones. */
  cut: () => Promise<void>
  /** Drops all packets; a new connection opens and stays silent. */
  silence: () => void
  /** Drops the packets of open connections; new ones work. */
  silenceOpen: () => void
  /** Ends each new connection as soon as it opens, like a proxy without a backend. */
  hangUp: () => void
  /** Accepts new connections again. */
  restore: () => Promise<void>
  /** Leads new connections to the server with this socket directory. */
  switchTo: (socketDirectory: string) => void
}

interface Link {
  client: Socket
  database: Socket
  isSilent: boolean
}

/** Starts a proxy on a free port, until the end of the test file. */
export async function startTestProxy(socketDirectory = inject('socketDirectory')): Promise<TestProxy> {
  const links = new Set<Link>()
  let directory = socketDirectory
  let mode: 'on' | 'silent' | 'hangUp' = 'on'
  const server = createServer((client) => {
    if (mode === 'hangUp') return void client.resume().end()
    const database = connect(`${directory}/.s.PGSQL.5432`)
    const link = { client, database, isSilent: mode === 'silent' }
    links.add(link)
    const end = () => {
      links.delete(link)
      client.destroy()
      database.destroy()
    }
    // First read what the database has sent: if it has closed the connection since, a failed write would discard that.
    client.on('data', (data) => setImmediate(() => !link.isSilent && database.writable && database.write(data)))
    database.on('data', (data) => link.isSilent || client.write(data))
    for (const socket of [client, database]) socket.on('error', end).on('close', end)
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = server.address() as { port: number }
  const endAll = () => {
    for (const { client } of links) client.resetAndDestroy()
  }
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      endAll()
    })
  onFileEnd(close)
  const silenceOpen = () => {
    for (const link of links) link.isSilent = true
  }
  return {
    url: (database) => `postgres://passport@127.0.0.1:${port}/${database}`,
    reset: endAll,
    cut: close,
    silence: () => {
      mode = 'silent'
      silenceOpen()
    },
    silenceOpen,
    hangUp: () => {
      mode = 'hangUp'
      endAll()
    },
    restore: async () => {
      mode = 'on'
      if (!server.listening) await listen(port)
    },
    switchTo: (socketDirectory) => {
      directory = socketDirectory
    },
  }
}
