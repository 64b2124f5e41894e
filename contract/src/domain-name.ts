import * as z from 'zod/mini'
import type { FieldCode } from './field-codes.ts'

const maxLength = 253
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** Characters that the URL parser reads as the end of the host or as an escape in it. */
const forbidden = /[\p{Cc}\s/\\?#@:%[\]<>^|]/u

/**
 * Normalises a domain name to lower-case ASCII (IDNA by UTS 46, as browsers do it), without the root dot. Returns
 * undefined for IP addresses, names of one label, and labels that DNS does not allow.
 */
export function parseDomainName(text: string): string | undefined {
  const trimmed = text.trim().replace(/[.。．｡]$/u, '')
  if (trimmed.length > maxLength || forbidden.test(trimmed)) return undefined
  const host = URL.canParse(`https://${trimmed}`) ? new URL(`https://${trimmed}`).hostname : ''
  const labels = host.split('.')
  const isName = labels.length > 1 && labels.every((part) => label.test(part)) && /\D/.test(labels.at(-1) ?? '')
  return isName && host.length <= maxLength ? host : undefined
}

/** Returns the domain of an email address; the local part is not validated. */
export const domainOfEmail = (email: string): string | undefined => {
  const atSign = email.lastIndexOf('@')
  return atSign < 1 ? undefined : parseDomainName(email.slice(atSign + 1))
}

/** A domain name as typed, normalised by `parseDomainName`. */
export const DomainName = z.string().check(
  z.overwrite((text) => parseDomainName(text) ?? text),
  z.refine((text) => parseDomainName(text) !== undefined, {
    error: 'Must be a domain name, such as example.com.',
    params: { code: 'domain-invalid' satisfies FieldCode },
  }),
)
