import * as z from 'zod/mini'

const maxLength = 253
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** What the parser of URLs would take for the end of the host, or for something encoded in it. */
const unfit = /[\p{Cc}\s/\\?#@:%[\]<>^|]/u

/**
 * A domain name in ASCII and lower case (IDNA by UTS 46, as browsers do it), without the dot of the root; undefined
 * where it is none: an address of a machine, a name of one label, a label that DNS does not take.
 */
export function domainName(text: string): string | undefined {
  const trimmed = text.trim().replace(/[.。．｡]$/u, '')
  if (trimmed.length > maxLength || unfit.test(trimmed)) return undefined
  const host = URL.canParse(`https://${trimmed}`) ? new URL(`https://${trimmed}`).hostname : ''
  const labels = host.split('.')
  const isName = labels.length > 1 && labels.every((one) => label.test(one)) && /\D/.test(labels.at(-1) ?? '')
  return isName && host.length <= maxLength ? host : undefined
}

/** The domain of an e-mail address, of which the rest is not looked at. */
export const domainOfEmail = (email: string): string | undefined => {
  const at = email.lastIndexOf('@')
  return at < 1 ? undefined : domainName(email.slice(at + 1))
}

/** A domain as people type it, read as `domainName` does. */
export const DomainName = z.string().check(
  z.overwrite((text) => domainName(text) ?? text),
  z.refine((text) => domainName(text) !== undefined, {
    error: 'Is no domain such as example.com.',
    params: { code: 'domain-invalid' },
  }),
)
