import type { ConsentFailure, OrgEntra } from '@passport/contract/org-entra'

/** A consent link in the tab where it was created: the server stores only a hash of it. */
export interface KeptLink {
  consentUrl: string
  expiresAt: string
}

/** The name by which a link is kept. */
export const linkName = (orgId: string) => `entra-link:${orgId}`

/**
 * Returns the state of the last consent link: `shown` if this tab has its text, `hidden` if only another tab has.
 */
export function findLinkState(
  { consentLinkExpiresAt }: Pick<OrgEntra, 'consentLinkExpiresAt'>,
  link: KeptLink | undefined,
  now: number,
): 'none' | 'shown' | 'hidden' | 'expired' {
  if (consentLinkExpiresAt === null) return 'none'
  if (Date.parse(consentLinkExpiresAt) <= now) return 'expired'
  return link?.expiresAt === consentLinkExpiresAt ? 'shown' : 'hidden'
}

/** Formats the rest of a deadline as minutes and seconds. */
export function formatRest(deadline: string, now: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(deadline) - now) / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

const failures: Record<ConsentFailure, string> = {
  'consent-denied': 'The administrator declined, or may not consent for the tenant.',
  'state-unknown': 'The response did not belong to a link of this organisation. Send a new link.',
  'state-expired': 'The link had expired, or a newer one had replaced it. Send the newest link.',
  'state-used': 'The link was used a second time. If consent is still missing, send a new link.',
  'tenant-mismatch': 'Another tenant consented. Send the link to an administrator of this tenant.',
  'proof-failed':
    "Microsoft did not confirm the consent: Passport couldn't read the tenant with its own token. Send a new link.",
}

/** Returns the sentence about a failed consent; for an unknown code a general one. */
export function explainFailure(code: string, permission?: string | null): string {
  if (code === 'proof-failed' && permission)
    return `The permission ${permission} was not granted. Add it to the application at Microsoft, then send a new link.`
  return failures[code as ConsentFailure] ?? 'Consent failed. Send a new link.'
}

/** Returns the text of an email to the tenant's administrator. */
export const writeMail = (
  { displayName }: Pick<OrgEntra, 'displayName'>,
  { consentUrl, expiresAt }: KeptLink,
  brand: string,
): string =>
  [
    'Hello,',
    '',
    `Please allow ${brand} to sign in users of ${displayName} with Microsoft Entra. Open this link and sign in with the role Cloud Application Administrator or higher:`,
    '',
    consentUrl,
    '',
    `The link works once, until ${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(expiresAt))} UTC.`,
    `${brand} cannot change anything in your directory.`,
  ].join('\n')
