import * as z from 'zod/mini'
import { parseForeignJson } from '../http/foreign-json.ts'
import { type ImportedHash, readImportedHash, toPbkdf2 } from '../local-directory/imported-hash.ts'
import { type Credential, removeNulls } from './keycloak-shape.ts'

const CredentialData = z.object({
  hashIterations: z.optional(z.number()),
  algorithm: z.optional(z.string()),
  additionalParameters: z.optional(z.record(z.string(), z.array(z.string()))),
})
const SecretData = z.object({ value: z.optional(z.string()), salt: z.optional(z.string()) })

const argon2Types = new Set(['i', 'd', 'id'])

/**
 * Reads the password of an exported user: argon2 since Keycloak 25, PBKDF2 before, or bcrypt and others in the format of
 * their own that extensions store.
 */
export function readCredential(credential: Credential): ImportedHash {
  const { credentialData, secretData, value } = credential
  if (credential.hashedSaltedValue !== undefined) return readOldCredential(credential)
  if (value !== undefined) return { reason: 'a password in plain text, of which there is no hash' }
  const data = parse(CredentialData, credentialData)
  const secret = parse(SecretData, secretData)
  if (!data?.algorithm || !secret?.value) return { reason: 'an incomplete hash' }
  const { algorithm, hashIterations = 0, additionalParameters = {} } = data
  if (algorithm.startsWith('pbkdf2')) return readPbkdf2(algorithm, hashIterations, secret.salt, secret.value)
  if (algorithm !== 'argon2') return readImportedHash(secret.value)
  const read = (name: string) => additionalParameters[name]?.[0] ?? ''
  const type = read('type')
  if (!argon2Types.has(type) || read('version') !== '1.3')
    return { reason: `argon2${type} of version ${read('version')}` }
  const costs = `m=${read('memory')},t=${hashIterations},p=${read('parallelism')}`
  const encode = (text = '') => text.replace(/={1,2}$/, '')
  return readImportedHash(`$argon2${type}$v=19$${costs}$${encode(secret.salt)}$${encode(secret.value)}`)
}

/** Reads a password of Keycloak 7 or older; the oldest have no algorithm. */
function readOldCredential({ algorithm = 'pbkdf2', hashIterations = 0, salt, hashedSaltedValue }: Credential) {
  if (!algorithm.startsWith('pbkdf2')) return { reason: `a hash by ${algorithm}` }
  return readPbkdf2(algorithm, hashIterations, salt, hashedSaltedValue)
}

function readPbkdf2(algorithm: string, iterations: number, salt = '', key = ''): ImportedHash {
  const digest = algorithm === 'pbkdf2' ? 'sha1' : algorithm.slice('pbkdf2-'.length)
  return toPbkdf2(digest, iterations, Buffer.from(salt, 'base64'), Buffer.from(key, 'base64'))
}

function parse<T>(schema: z.ZodMiniType<T>, text: string | undefined): T | undefined {
  try {
    return z.safeParse(schema, removeNulls(parseForeignJson(text ?? ''))).data
  } catch {
    return undefined
  }
}
