import { domainToUnicode } from 'node:url'

/** Returns an address as people write it, with the letters of an internationalised domain; `Email` reads it again. */
export function showEmail(email: string): string {
  const start = email.lastIndexOf('@') + 1
  const domain = email.slice(start)
  return /(?:^|\.)xn--/i.test(domain) ? email.slice(0, start) + (domainToUnicode(domain) || domain) : email
}
