import type { AllowedSubject } from './schema.ts'

/** Formats a subject type in schema syntax: `user`, `user:* with tenant`, `group#member with expiration`. */
export function printAllowed({
  type,
  relation,
  isWildcard,
  caveat,
  hasExpiration,
}: Omit<AllowedSubject, 'span'>): string {
  const subject = isWildcard ? `${type}:*` : relation === undefined ? type : `${type}#${relation}`
  const traits = [caveat, hasExpiration && 'expiration'].filter(Boolean)
  return traits.length > 0 ? `${subject} with ${traits.join(' and ')}` : subject
}
