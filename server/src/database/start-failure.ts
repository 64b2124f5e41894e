import { statfsSync } from 'node:fs'
import { ConfigError } from '../config.ts'
import { isDatabaseUnavailable } from './sql.ts'

/** The paths of an embedded PostgreSQL's tables and log. */
export interface DatabasePaths {
  directory: string
  tables: string
  log: string
}

/** With less free space, PostgreSQL cannot even log its failure. */
const fullBelowBytes = 1024 * 1024

const noSpaceMessage = (path: string) =>
  `No space left on device. Free some space on the disk of ${path} and start again.`
const readOnlyMessage = (path: string) =>
  `The disk of ${path} is read-only. Mount it writable, or set DATA_DIR to a directory on another disk.`
const deniedMessage = (path: string) =>
  `The user of this process (uid ${process.getuid?.()}) cannot access ${path}. Change its owner or mode, or set DATA_DIR to another directory.`

/**
 * Converts an error of the disk or of the database to a `ConfigError`; returns any other error unchanged. `paths` are
 * those of the embedded PostgreSQL; undefined with a DATABASE_URL.
 */
export function explainStartFailure(error: unknown, paths: DatabasePaths | undefined): unknown {
  const { code = '', path = paths?.directory, message } = error as { code?: string; path?: string; message: string }
  if ((error as { name?: string }).name === 'PostgresError') return explainDatabaseError(error, code, message, paths)
  const explain = byFileError[code]
  if (explain && path) return new ConfigError([explain(path)], { cause: error })
  if (!paths && isDatabaseUnavailable(error))
    return new ConfigError([`DATABASE_URL: the database is not usable: ${message}`], { cause: error })
  return error
}

/** Converts any other error of a file or directory below DATA_DIR to a `ConfigError`. */
export function explainFileFailure(error: unknown, paths: DatabasePaths): unknown {
  const explained = explainStartFailure(error, paths)
  const { syscall, message } = error as { syscall?: unknown; message: string }
  if (explained !== error || typeof syscall !== 'string') return explained
  return new ConfigError([`DATA_DIR: ${message}. Set DATA_DIR to another directory.`], { cause: error })
}

const byFileError: Record<string, (path: string) => string> = {
  ENOSPC: noSpaceMessage,
  EDQUOT: noSpaceMessage,
  EROFS: readOnlyMessage,
  EACCES: deniedMessage,
  EPERM: deniedMessage,
  ENOTDIR: (path) =>
    `DATA_DIR: ${path} cannot be created because a parent is a file. Set DATA_DIR to another directory.`,
}

/**
 * Explains an error of PostgreSQL that no retry resolves: no space (SQLSTATE class 53), damaged files (58 and XX), no
 * permission (42501), or a standby (25006). With a DATABASE_URL also no schema (3F000), and a database that went away.
 */
function explainDatabaseError(
  error: unknown,
  code: string,
  message: string,
  paths: DatabasePaths | undefined,
): unknown {
  const isUnusable = /^(53|58|XX|42501|25006)/.test(code)
  if (!isUnusable && (paths || !(code === '3F000' || isDatabaseUnavailable(error)))) return error
  if (!paths) return new ConfigError([`DATABASE_URL: the database is not usable: ${message}`], { cause: error })
  const advice = code.startsWith('53')
    ? noSpaceMessage(paths.tables)
    : `The database files in ${paths.tables} are damaged. Restore them from a backup, or delete all data with npm run reset.`
  return new ConfigError([`${advice} PostgreSQL reported: ${message}. Its log is ${paths.log}`], { cause: error })
}

/** Explains why PostgreSQL failed to start, from its output or that of `initdb`; `uid` is the user it runs as. */
export function explainOutput(
  text: string,
  { directory, tables, log }: DatabasePaths,
  uid: number | undefined,
): ConfigError {
  const cause = findCause(text)
  const advice = findAdvice(cause, tables, uid) ?? (isFull(directory) ? noSpaceMessage(directory) : undefined)
  const failure = `PostgreSQL failed to start${cause ? `: ${cause.replace(/\.$/, '')}` : ''}. Its log is ${log}`
  return new ConfigError([advice ? `${failure}. ${advice}` : failure])
}

function findAdvice(cause: string, tables: string, uid: number | undefined): string | undefined {
  if (cause.includes('No space left on device')) return noSpaceMessage(tables)
  if (cause.includes('Read-only file system')) return readOnlyMessage(tables)
  if (cause.includes('has wrong ownership'))
    return `${tables} is not owned by the user that runs PostgreSQL: chown -R ${uid} ${tables}`
  if (cause.includes('has invalid permissions')) return `Other users can read ${tables}: chmod 700 ${tables}`
  if (cause.includes('Permission denied'))
    return `PostgreSQL (uid ${uid}) cannot access a file in ${tables}: chown -R ${uid} ${tables}`
  if (cause.includes('incompatible with server'))
    return `The database files in ${tables} belong to another version of PostgreSQL. Start the release of Passport that created them.`
  if (/could not (?:locate|read|open) |checksum|invalid (?:page|record|data)|corrupt/i.test(cause))
    return `The database files in ${tables} are damaged. Restore them from a backup, or delete all data with npm run reset.`
  return undefined
}

/** Returns the first line that names the failure; later lines are consequences. */
function findCause(text: string): string {
  const lines = text.split('\n').map((line) => line.trim())
  const causeLine =
    lines.find((line) => /No space left on device|Read-only file system/.test(line)) ??
    lines.find((line) => /(?:FATAL|PANIC|error): /.test(line)) ??
    lines.findLast(Boolean)
  return causeLine?.replace(/^.*?(?:FATAL|PANIC|ERROR|error): +/, '') ?? ''
}

function isFull(directory: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize < fullBelowBytes
  } catch {
    return false
  }
}
