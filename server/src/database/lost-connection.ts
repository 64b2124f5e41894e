/**
 * Keeps the process alive where a connection to the database is lost in a transaction. The driver then writes to a
 * socket that is no more, from a timer where nobody can catch it (porsager/postgres, issue 1208); whoever waits for the
 * statement has been told of the loss already. Any other error that nobody caught ends the process, as ever.
 */
export function outliveLostConnections(tell: (error: Error) => void): void {
  process.on('uncaughtException', (error) => {
    tell(error)
    if (!isLostWrite(error)) process.exit(1)
  })
}

const isLostWrite = ({ name, message, stack = '' }: Error): boolean =>
  name === 'TypeError' && message.includes("(reading 'write')") && /nextWrite .*[\\/]postgres[\\/]/.test(stack)
