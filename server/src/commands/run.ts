import { once } from 'node:events'
import { type Config, ConfigError, loadConfig } from '../config.ts'
import { migrate } from '../database/migrate.ts'
import { openSharedDatabase } from '../database/open.ts'
import { connectionLostError } from '../database/socket.ts'
import { isDatabaseUnavailable, type Sql } from '../database/sql.ts'
import { explainStartFailure } from '../database/start-failure.ts'
import { describeUnexpected } from '../failure.ts'

/** The exit code of a command that a signal has ended, by the convention of shells for SIGINT. */
const interruptedCode = 130

/**
 * Runs a command on the configured database, whether or not a server is running on it. Prints an error as a sentence and
 * sets the exit code 1. A signal ends the connections, which rolls back what is not committed, and then the process.
 */
export async function runOnDatabase(command: (sql: Sql, config: Config) => Promise<void>): Promise<void> {
  const stopping = new AbortController()
  // Further signals have no effect, so that PostgreSQL is always stopped.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => stopping.abort(new Interrupted('Interrupted.')))
  await runCommand(async () => {
    const config = loadConfig(process.env)
    const database = await openSharedDatabase(config, { onNotice: console.error, stopping: stopping.signal })
    try {
      await Promise.race([rejectOnAbort(stopping.signal), migrateAndRun(database.sql, config, command)])
    } finally {
      await database.close({ isImmediate: stopping.signal.aborted })
    }
  })
  // Work that was interrupted, such as a prompt, would keep the process running.
  if (process.exitCode === interruptedCode) process.exit()
}

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw signal.reason
}

async function migrateAndRun(sql: Sql, config: Config, command: (sql: Sql, config: Config) => Promise<void>) {
  await migrate(sql, new URL('../../migrations/', import.meta.url)).catch((error) => {
    throw config.databaseUrl ? explainStartFailure(error, undefined) : error
  })
  await command(sql, config).catch((error) => {
    // The command was connected before, and the pool has tried to connect again.
    throw error?.syscall === 'connect' ? connectionLostError() : error
  })
}

/** Runs a command; prints an error as a sentence and sets the exit code 1. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    process.exitCode = error instanceof Interrupted ? interruptedCode : 1
    console.error(isExpected(error) ? error.message : describeUnexpected(error, process.env))
  }
}

/** An expected error, such as invalid arguments. Only its message is printed. */
export class UsageError extends Error {}

class Interrupted extends Error {}

/** Reports whether the message of an error names what the operator can change. That of a system call names its file. */
const isExpected = (error: unknown): error is Error =>
  error instanceof ConfigError ||
  error instanceof UsageError ||
  error instanceof Interrupted ||
  isDatabaseUnavailable(error) ||
  (error instanceof Error && typeof (error as { syscall?: unknown }).syscall === 'string')
