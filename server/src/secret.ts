import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

const minLength = 32

export const secretFileOf = (dataDir: string): string => join(dataDir, 'secret')

/**
 * Reads the secret of a data directory; undefined before the first start. Throws `ConfigError` for a truncated file:
 * existing data could not be decrypted.
 */
export function readSecret(dataDir: string): string | undefined {
  const file = secretFileOf(dataDir)
  if (!existsSync(file)) return undefined
  if (!statSync(file).isFile())
    throw new ConfigError([`PASSPORT_SECRET: ${file} is not a file. Restore it from a backup, or set PASSPORT_SECRET.`])
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= minLength) return secret
  throw new ConfigError([
    `PASSPORT_SECRET: ${file} has ${secret.length} characters; a secret must have at least ${minLength}. Restore it from a backup, or delete all data with npm run reset.`,
  ])
}

export const generateSecret = (): string => randomBytes(48).toString('base64url')

/**
 * Writes the secret of a data directory, readable only by its owner. Writes and flushes a temporary file, then renames
 * it: an interrupted start leaves no partial secret.
 */
export function saveSecret(dataDir: string, secret: string): void {
  const file = secretFileOf(dataDir)
  const temporaryFile = `${file}.new`
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(temporaryFile, secret, { mode: 0o600, flush: true })
  renameSync(temporaryFile, file)
}
