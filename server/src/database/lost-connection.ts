/**
 * Keeps the process alive when the driver loses a connection at one of two moments where its error cannot be caught
 * (porsager/postgres 3.4): it writes to a closed socket from a timer (issue 1208), and on a new connection it drops the
 * promise of its query for array types. In both cases the pool detects the loss too. Every uncaught error is passed to
 * `report`; any other one then ends the process.
 */
export function outliveLostConnections(report: (error: Error) => void): void {
  process.on('uncaughtException', (error) => {
    report(error)
    if (!isLostWrite(error) && !isLostTypeQuery(error)) process.exit(1)
  })
}

const isLostWrite = ({ name, message, stack = '' }: Error): boolean =>
  name === 'TypeError' && message.includes("(reading 'write')") && /nextWrite .*[\\/]postgres[\\/]/.test(stack)

/** If the connection was lost before the query was built, the error has no text of it. */
const isLostTypeQuery = ({ query = '', code }: Error & { query?: string; code?: string }): boolean =>
  /^\s*select b\.oid, b\.typarray\s+from pg_catalog\.pg_type/.test(query) ||
  (code === 'CONNECTION_DESTROYED' && query === '')
