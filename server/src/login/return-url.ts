/**
 * An attempt keeps the address in a cookie, encrypted; browsers drop a cookie of more than 4,096 bytes, and the attempt
 * with it.
 */
const maxBytes = 1500

/** The default address, without a return address or with a foreign one. */
const defaultUrl = '/app/'

/**
 * Returns the address in the app to redirect to after sign-in: `value` if it is safe, otherwise the start. Stricter
 * than the app's own rule, so that the app accepts every result; neither ever leaves the origin.
 */
export function parseReturnUrl(value: string | null): string {
  return value !== null && isInApp(value) ? value : defaultUrl
}

function isInApp(value: string): boolean {
  // Browsers drop tabs and line ends and read a backslash as a slash, which would disguise an address.
  if (Buffer.byteLength(value) > maxBytes || !value.isWellFormed() || /[\p{Cc} \\]/u.test(value)) return false
  if (!/^\/app(?:[/?#]|$)/.test(value)) return false
  const url = URL.parse(value, 'http://origin')
  if (url?.origin !== 'http://origin') return false
  return /^\/app(?:\/|$)/.test(url.pathname) && !url.pathname.includes('//') && !value.split(/[?#]/)[0]?.includes('//')
}

/** The page of the app that redirects a user there by its own rule. */
export const toLandingUrl = (address: string): string => `/app/login?returnUrl=${encodeURIComponent(address)}`
