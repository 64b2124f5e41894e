import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { decodeTextFile, UndecodableText } from '@passport/contract/text-file'
import { fileLimits, parseForeignJson, UnusableJson } from '../http/foreign-json.ts'
import { InvalidSource } from './source.ts'

interface Part {
  file: string
  content: Record<string, unknown> & { realm: string }
}

/**
 * Reads the export of a realm by `kc.sh export`: one file, or a folder with the realm and its users in files of their own,
 * or such files. `realm` chooses one of several realms. Throws `InvalidSource` if a part is missing or another is no part.
 */
export function readKeycloakFiles(paths: string[], realm?: string): Record<string, unknown> {
  const files = paths.flatMap(listFiles)
  const parts = files.flatMap(readParts).filter(({ content }) => realm === undefined || content.realm === realm)
  const names = [...new Set(parts.map(({ content }) => content.realm))]
  if (names.length > 1)
    throw new InvalidSource(`The files have the realms ${names.join(', ')}. Choose one with --realm <name>.`)
  if (parts.length === 0)
    throw new InvalidSource(
      `${paths.join(', ')} ${realm === undefined ? 'has no .json file' : `has no realm ${realm}`}.`,
    )
  rejectGap(parts)
  return merge(parts)
}

function listFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    return readdirSync(path)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .map((name) => join(path, name))
  } catch (error) {
    throw new InvalidSource(`${path} cannot be read: ${(error as Error).message}`)
  }
}

/** Reads the realm of a file, or the realms of an export of all of them. */
function readParts(file: string): Part[] {
  const content = readJson(file)
  return (Array.isArray(content) ? content : [content]).map((each: unknown) => {
    if (typeof each !== 'object' || each === null || !('realm' in each) || typeof each.realm !== 'string')
      throw new InvalidSource(`${file} is no export of a realm: it has no “realm”.`)
    return { file, content: each as Part['content'] }
  })
}

function readJson(file: string): unknown {
  try {
    return parseForeignJson(decodeTextFile(readFileSync(file)), fileLimits)
  } catch (error) {
    const isUnusable = error instanceof UnusableJson || error instanceof UndecodableText
    throw new InvalidSource(
      isUnusable ? `${file} ${error.message}.` : `${file} cannot be read: ${(error as Error).message}`,
    )
  }
}

/** The number of a file of users, such as `stage-users-0.json`; Keycloak counts them without a gap. */
const usersFile = /^(.*)-users-(\d+)\.json$/

function rejectGap(parts: Part[]) {
  const found = new Set(parts.map(({ file }) => basename(file)))
  for (const name of found) {
    const [, prefix = '', number = '0'] = usersFile.exec(name) ?? []
    const previous = `${prefix}-users-${Number(number) - 1}.json`
    if (Number(number) > 0 && !found.has(previous)) throw new InvalidSource(`The file ${previous} is missing.`)
  }
}

/** The fields that several files have. Users that Keycloak only mirrors are not imported. */
const repeated = new Set(['realm', 'id', 'federatedUsers'])

/** Joins the parts of a realm. */
function merge(parts: Part[]): Record<string, unknown> {
  const merged = new Map<string, unknown>()
  const users: unknown[] = []
  for (const { file, content } of parts)
    for (const [field, value] of Object.entries(content)) {
      if (field === 'users' && Array.isArray(value)) for (const user of value) users.push(user)
      else if (merged.has(field) && !repeated.has(field))
        throw new InvalidSource(`${file} is no part of the same export: another file has “${field}” too.`)
      else merged.set(field, value)
    }
  if (users.length > 0) merged.set('users', users)
  return Object.fromEntries(merged)
}
