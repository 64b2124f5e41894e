import { parseForeignJson } from '../http/foreign-json.ts'
import { type ImportedHash, readImportedHash, toPbkdf2 } from '../local-directory/imported-hash.ts'
import type { Credential } from './keycloak-shape.ts'

interface CredentialData {
  hashIterations?: number
  algorithm?: string
  additionalParameters?: Record<string, string[]>
}
interface SecretData {
  value?: string
  salt?: string
}

const argon2Types = new Set(['i', 'd', 'id'])

/**
 * Reads the password of an exported user: argon2 since Keycloak 25, PBKDF2 before, or bcrypt and others in the format of
 * their own that extensions store.
 */
export function readCredential({ credentialData, secretData }: Credential): ImportedHash {
  const data = parse<CredentialData>(credentialData)
  const secret = parse<SecretData>(secretData)
  if (!data?.algorithm || !secret?.value) return { reason: 'an incomplete hash' }
  const { algorithm, hashIterations = 0, additionalParameters = {} } = data
  const salt = Buffer.from(secret.salt ?? '', 'base64')
  if (algorithm.startsWith('pbkdf2')) {
    const digest = algorithm === 'pbkdf2' ? 'sha1' : algorithm.slice('pbkdf2-'.length)
    return toPbkdf2(digest, hashIterations, salt, Buffer.from(secret.value, 'base64'))
  }
  if (algorithm !== 'argon2') return readImportedHash(secret.value)
  const read = (name: string) => additionalParameters[name]?.[0] ?? ''
  const type = read('type')
  if (!argon2Types.has(type) || read('version') !== '1.3')
    return { reason: `argon2${type} of version ${read('version')}` }
  const costs = `m=${read('memory')},t=${hashIterations},p=${read('parallelism')}`
  const encode = (text = '') => text.replace(/=+$/, '')
  return readImportedHash(`$argon2${type}$v=19$${costs}$${encode(secret.salt)}$${encode(secret.value)}`)
}

function parse<T>(text: string | undefined): T | undefined {
  try {
    const value = parseForeignJson(text ?? '')
    return typeof value === 'object' && value !== null ? (value as T) : undefined
  } catch {
    return undefined
  }
}
