import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './config.ts'

const minLength = 32

/**
 * The secret of a data directory, made on the first start; readable by its owner alone. Throws `ConfigError` where the
 * file holds less than a secret: what was sealed could not be opened again.
 */
export function readSecret(dataDir: string): string {
  const file = join(dataDir, 'secret')
  mkdirSync(dataDir, { recursive: true })
  if (!existsSync(file)) make(file)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= minLength) return secret
  throw new ConfigError([
    `PASSPORT_SECRET: ${file} holds ${secret.length} characters, and a secret has at least ${minLength}.`,
    'Put it back from a backup, or forget everything: npm run reset',
  ])
}

/** Beside its place and moved there when it is on the disk: a start that is cut off leaves no half of a secret. */
function make(file: string) {
  const unfinished = `${file}.new`
  writeFileSync(unfinished, randomBytes(48).toString('base64url'), { mode: 0o600, flush: true })
  renameSync(unfinished, file)
}
