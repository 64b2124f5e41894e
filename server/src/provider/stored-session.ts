import { extensionSeconds, lifetimes } from './lifetimes.ts'
import type { Artifact } from './store.ts'

// The protocol library defines what is stored of its sessions. Only what is listed here is understood.

/** The library's session of a browser, with what belongs to one client. */
export interface StoredSession {
  uid: string
  accountId: string
  /** The time of the last authentication, in seconds since 1970. */
  loginTs: number
  amr: string[] | undefined
  acr: string | undefined
  grantId: string
  sid: string
}

const fields = new Set(['iat', 'exp', 'kind', 'uid', 'accountId', 'loginTs', 'amr', 'acr', 'authorizations'])
const clientFields = new Set(['sid', 'grantId', 'persistsLogout'])

/**
 * Reads a session that the library would not save again after a request of this client; undefined if it has changed, is
 * due to be extended, has expired, or is not fully understood.
 */
export function readStoredSession(
  payload: Artifact['payload'],
  clientId: string,
  now = Math.floor(Date.now() / 1000),
): StoredSession | undefined {
  const { kind, iat, exp, uid, accountId, loginTs, amr, acr, authorizations } = payload
  const isUnderstood =
    kind === 'Session' &&
    typeof iat === 'number' &&
    typeof exp === 'number' &&
    isText(uid) &&
    isText(accountId) &&
    typeof loginTs === 'number' &&
    hasOnly(payload, fields) &&
    isRecord(authorizations) &&
    Object.hasOwn(authorizations, clientId)
  if (!isUnderstood || iat > now || exp <= now || now + lifetimes.Session - exp >= extensionSeconds) return undefined
  if (!isOptional(acr, isText) || !isOptional(amr, isTexts)) return undefined
  const ofClient = authorizations[clientId]
  if (!isRecord(ofClient) || !hasOnly(ofClient, clientFields)) return undefined
  const { sid, grantId } = ofClient
  if (!isText(sid) || !isText(grantId)) return undefined
  return { uid, accountId, loginTs, amr, acr, grantId, sid }
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const isOptional = <T>(value: unknown, is: (value: unknown) => value is T): value is T | undefined =>
  value === undefined || is(value)
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const hasOnly = (record: object, names: ReadonlySet<string>) => Object.keys(record).every((name) => names.has(name))
