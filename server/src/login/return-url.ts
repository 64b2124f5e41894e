/** An attempt keeps the address in a cookie, sealed; browsers drop one of more than 4,096 bytes, and the attempt with it. */
const maxBytes = 1500

/** Where people go who came with no address to go back to, or with one that is not ours. */
const home = '/app/'

/**
 * The address in the app to send someone to after sign-in: `value` where it is surely one, otherwise the start.
 * Stricter than the app's own rule, so that whatever passes here passes there; neither ever leaves the origin.
 */
export function returnUrl(value: string | null): string {
  return value !== null && isInApp(value) ? value : home
}

function isInApp(value: string): boolean {
  // Browsers drop tabs and line ends and read a backslash as a slash: with them an address is not what it looks like.
  if (Buffer.byteLength(value) > maxBytes || !value.isWellFormed() || /[\p{Cc} \\]/u.test(value)) return false
  if (!/^\/app(?:[/?#]|$)/.test(value)) return false
  const url = URL.parse(value, 'http://origin')
  if (url?.origin !== 'http://origin') return false
  return /^\/app(?:\/|$)/.test(url.pathname) && !url.pathname.includes('//') && !value.split(/[?#]/)[0]?.includes('//')
}

/** The page of the app that takes a person there by its own rule. */
export const landing = (address: string): string => `/app/login?returnUrl=${encodeURIComponent(address)}`
