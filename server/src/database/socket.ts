import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type postgres from 'postgres'

export const createError = (code: string, message: string) => Object.assign(new Error(message), { code })
export const connectionLostError = () => createError('CONNECTION_CLOSED', 'The connection to the database was lost.')

const connectMs = 10_000

/** What happens to a socket. The driver does not report the reason for which PostgreSQL has ended a session. */
interface SocketListener {
  /** Called before the connection is established. */
  onOpen: (socket: Socket) => void
  onLost: () => void
  /** Called when PostgreSQL ends the session to shut down. */
  onShutdown: () => void
}

type SocketOptions = Pick<postgres.Sql['options'], 'path' | 'host' | 'port' | 'ssl'>

/** Opens the socket of a connection. The driver would ignore a clean end during its start-up, and wait endlessly. */
export async function openSocket({ path, host, port, ssl }: SocketOptions, listener: SocketListener): Promise<Socket> {
  const address = { host: host[0] ?? '', port: port[0] ?? 5432 }
  const tcp = typeof path === 'string' ? connect(path) : connect(address)
  listener.onOpen(tcp)
  const onTimeout = () =>
    tcp.destroy(createError('CONNECT_TIMEOUT', 'The database did not accept a connection in time.'))
  const timer = setTimeout(onTimeout, connectMs)
  try {
    await waitFor(tcp, 'connect')
    const socket = ssl && typeof path !== 'string' ? await encrypt(tcp, address.host, ssl) : tcp
    listener.onOpen(socket)
    socket.on('data', (received) => {
      if (endsWithShutdown(received)) listener.onShutdown()
    })
    // Registered before the driver's own listeners: it opens another socket after a clean end, which is then rejected.
    socket.once('error', listener.onLost)
    socket.once('close', listener.onLost)
    return socket
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves to the first argument of an event; rejects if the socket fails or is closed before. */
async function waitFor(socket: Socket, event: 'connect' | 'secureConnect' | 'data'): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>()
  const onClose = () => reject(connectionLostError())
  socket.once(event, resolve).once('error', reject).once('close', onClose)
  return promise.finally(() => socket.off(event, resolve).off('error', reject).off('close', onClose))
}

/** The request for TLS, before anything else is sent (PostgreSQL documentation, section 55.7, SSLRequest). */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])
const accepted = 'S'.charCodeAt(0)
/** The values of `sslmode` with which the certificate is not checked, as libpq does. */
const uncheckedModes: unknown[] = ['require', 'allow', 'prefer']

/** Encrypts a connection. Rejects if the server has no TLS, unless it is only preferred. */
async function encrypt(socket: Socket, host: string, ssl: SocketOptions['ssl']): Promise<Socket> {
  socket.write(tlsRequest)
  const answer = (await waitFor(socket, 'data')) as Buffer
  if (answer[0] !== accepted) {
    if (ssl === 'prefer') return socket
    socket.destroy()
    throw createError('CONNECTION_WITHOUT_TLS', 'The database does not accept TLS, which sslmode requires.')
  }
  const encrypted = connectTls({
    socket,
    ...(isIP(host) === 0 && { servername: host }),
    ...(uncheckedModes.includes(ssl) && { rejectUnauthorized: false }),
    ...(typeof ssl === 'object' && ssl),
  })
  await waitFor(encrypted, 'secureConnect')
  return encrypted
}

const shutdownFields = Buffer.from('\0VFATAL\0C57P01\0')

/**
 * Reports whether the last message is the error with which PostgreSQL ends a session to shut down: FATAL with SQLSTATE
 * 57P01, in an ErrorResponse (PostgreSQL documentation, section 55.7). No text in a database has the zero bytes of it.
 */
export function endsWithShutdown(received: Buffer): boolean {
  const { length } = received
  if (received[length - 1] !== 0 || received[length - 2] !== 0) return false
  const at = received.lastIndexOf(shutdownFields)
  // Before it are the type and the length of the message, and its severity in the language of the server.
  for (let start = at - 6; start >= Math.max(0, at - 64); start--)
    if (received[start] === 0x45 && received.readUInt32BE(start + 1) === length - start - 1) return true
  return false
}
