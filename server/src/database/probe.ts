import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Connection, close, type DriverSql, drop, openConnection, sendText } from './connection.ts'
import { createError } from './socket.ts'

/** The state of a database: it does not respond, responds with an error, cannot write, or works. */
type DatabaseState = 'silent' | 'failing' | 'replica' | 'read-only' | 'working'

/** The time limit of a probe, after which the database counts as silent: with the ticks before it, less than 2 s. */
const probeMs = 1000

/** PostgreSQL reports both of each new connection, and every change of them. */
const readOnlyParameters = new Set(['in_hot_standby', 'default_transaction_read_only'])

/** Reports whether a parameter of a connection says that its transactions cannot write. */
export const isReadOnlyParameter = (name: string, value: string): boolean =>
  value === 'on' && readOnlyParameters.has(name)

/** The errors with which a pool rejects work while the database is in a state. */
export const stateErrors = {
  silent: () => createError('CONNECTION_SILENT', 'The database is not responding.'),
  replica: () =>
    createError(
      'CONNECTION_READ_ONLY',
      'The database is a replica, which cannot write. Use the address of the primary.',
    ),
  'read-only': () => createError('CONNECTION_READ_ONLY', 'The database is read-only.'),
} satisfies Partial<Record<DatabaseState, () => Error>>

interface Probe {
  /** Reads the state of the database. */
  readState: () => Promise<DatabaseState>
  /** Uses a new connection from now on: a proxy may lead to another server. */
  renew: () => void
  /** Whether the parameters of the connection say that it cannot write; a pooler may report those of another one. */
  isReportedReadOnly: () => boolean
  connections: () => Connection[]
}

/** Creates a probe with a connection of its own. */
export function createProbe(base: DriverSql): Probe {
  let connection: Connection | undefined
  let isReportedReadOnly = false

  function open(): Connection {
    isReportedReadOnly = false
    const onparameter = (name: string, value: string) => {
      isReportedReadOnly ||= isReadOnlyParameter(name, value)
    }
    return openConnection(base, { debug: undefined, fetch_types: false, onparameter })
  }

  async function readState(): Promise<DatabaseState> {
    if (!connection || connection.isLost) connection = open()
    const probed = connection
    const { promise: timeout, resolve } = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), probeMs)
    const response = sendProbe(probed)
    // Bytes that arrived while this process was busy are read before the timeout takes effect.
    const state = await Promise.race([response, timeout.then(() => nextTurn(undefined))])
    clearTimeout(timer)
    if (state) return state
    drop(probed, stateErrors.silent())
    return 'silent'
  }

  return {
    readState,
    renew: () => {
      if (connection) void close(connection)
    },
    isReportedReadOnly: () => isReportedReadOnly,
    connections: () => (connection ? [connection] : []),
  }
}

async function sendProbe(connection: Connection): Promise<DatabaseState> {
  try {
    const text = `select pg_is_in_recovery() as replica, current_setting('transaction_read_only') as readonly`
    const [row] = (await sendText(connection, text)) as { replica: boolean; readonly: string }[]
    if (row?.replica) return 'replica'
    return row?.readonly === 'on' ? 'read-only' : 'working'
  } catch {
    void close(connection)
    return 'failing'
  }
}
