import type { CreatedSetupLink } from '@passport/contract/setup'

const timeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** Returns the text of an email to the customer's administrator. */
export const writeSetupMail = (
  orgName: string,
  { url, expiresAt }: Pick<CreatedSetupLink, 'url' | 'expiresAt'>,
  brand: string,
): string =>
  [
    'Hello,',
    '',
    `Please connect ${orgName} to ${brand}. Open this link in the browser in which you administer Microsoft Entra:`,
    '',
    url,
    '',
    `The link works in one browser. Open it until ${timeFormat.format(new Date(expiresAt))} UTC.`,
    'It leads through consent, groups, provisioning and a test sign-in.',
  ].join('\n')
