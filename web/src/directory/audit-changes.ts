import { capitalize } from '../ui/capitalize.ts'
import { formatValue } from './three-way-merge.ts'

type Json = { [name: string]: unknown }

/** A changed field. */
export interface Change {
  name: string
  /** Undefined if the field was added. */
  from?: string
  /** Undefined if the field was removed. */
  to?: string
}

/**
 * Compares before and after, field by field in their order; an empty field equals a missing one. `displayNames` has
 * the names of ids.
 */
export function diffFields(
  before: Json | null,
  after: Json | null,
  displayNames: Record<string, string> = {},
): Change[] {
  const namesOf = (name: string) => (name === 'amr' ? factorNames : displayNames)
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  return names
    .map((name) => ({
      name,
      ...(before && name in before && { from: formatField(replaceIds(before[name], namesOf(name))) }),
      ...(after && name in after && { to: formatField(replaceIds(after[name], namesOf(name))) }),
    }))
    .filter(({ from = '', to = '' }) => from !== to)
}

/** Longer lists are printed one entry per line. */
const maxInline = 3
const formatField = (value: unknown): string =>
  Array.isArray(value) && value.length > maxInline ? value.map(formatValue).join('\n') : formatValue(value)

/** Replaces ids by names, and an object by a list: `{ <id>: 'member' }` by “Eve Moreau (member)”. */
const replaceIds = (value: unknown, displayNames: Record<string, string>): unknown => {
  if (Array.isArray(value)) return value.map((item) => replaceIds(item, displayNames))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).map(([key, item]) => {
      const text = formatValue(replaceIds(item, displayNames))
      const name = displayNames[key]
      return name === undefined ? `${describeField(key)}: ${text}` : `${name} (${text})`
    })
  return typeof value === 'string' ? (displayNames[value] ?? value) : value
}

/** The authentication methods of RFC 8176 in words. */
const factorNames: Record<string, string> = {
  pwd: 'Password',
  otp: 'One-time code',
  mfa: 'Several factors',
  hwk: 'Security key',
  swk: 'Passkey',
  sms: 'Text message',
  fed: 'Federated',
}

const fieldNames: Record<string, string> = {
  displayname: 'Display name',
  idp: 'Identity provider',
  amr: 'Factors',
  orgId: 'Organisation',
  org: 'Organisation',
  id: 'ID',
  ids: 'IDs',
  pngSource: 'Picture',
  glbSource: '3D avatar',
  apis: 'APIs',
  pkce: 'PKCE',
  redirectUris: 'Redirect URIs',
  postLogoutRedirectUris: 'Post-logout redirect URIs',
  backchannelLogoutUri: 'Back-channel logout URI',
  idTokenSigningAlg: 'ID token algorithm',
  tokenLifetimeSec: 'Token lifetime in seconds',
}

/** Returns the name of a field in words: “Email verified” for `emailVerified`. An id stays. */
export function describeField(name: string): string {
  if (fieldNames[name]) return fieldNames[name]
  if (!/^[a-z][A-Za-z]*$/.test(name)) return name
  return capitalize(name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
}

const reasons: Record<string, string> = {
  // The sentence says it.
  'password-wrong': '',
  'wrong-pin': 'Wrong PIN',
  demonstration: 'Demo data',
}

/** Returns a reason in words: “Account disabled” for `account-disabled`; empty if the sentence covers it. */
export function describeReason(reason: string): string {
  return reasons[reason] ?? (/^[a-z]+(-[a-z]+)+$/.test(reason) ? capitalize(reason.replaceAll('-', ' ')) : reason)
}

const dayFormat = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })

/** Formats the local day of an instant: “Today”, “Yesterday”, “Monday, 2 March 2026”. */
export function formatDay(at: string, now = Date.now()): string {
  const name = dayFormat.format(new Date(at))
  if (name === dayFormat.format(now)) return 'Today'
  return name === dayFormat.format(now - 86_400_000) ? 'Yesterday' : name
}
