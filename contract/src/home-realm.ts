import { domainOfEmail, parseDomainName } from './domain-name.ts'

/** What decides where a user signs in: the domain of an email address, or the id of a tenant in lower case. */
export type HomeRealmQuestion = { domain: string; tenantId?: never } | { tenantId: string; domain?: never }

/** More than any email address or domain name has. */
const maxLength = 320
const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/**
 * Parses an email address, a domain name or a tenant id as typed. Only the domain of an address is used. Returns
 * undefined for any other text.
 */
export function parseHomeRealm(text: string): HomeRealmQuestion | undefined {
  const trimmed = text.trim()
  if (trimmed.length > maxLength) return undefined
  if (guid.test(trimmed)) return { tenantId: trimmed.toLowerCase() }
  const domain = trimmed.includes('@') ? parseEmail(trimmed) : parseDomainName(trimmed)
  return domain === undefined ? undefined : { domain }
}

/** Returns the domain of one address. A local part may contain anything in quotes, but a list of addresses is none. */
function parseEmail(text: string): string | undefined {
  const isOne = /^(?:"[^"]*"|[^\s"@,;<>]+)@[^@]*$/.test(text)
  return isOne ? domainOfEmail(text) : undefined
}
