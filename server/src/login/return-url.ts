/**
 * The maximum size of a return URL. The encrypted cookie of an attempt contains it, and browsers drop cookies of more
 * than 4,096 bytes.
 */
const maxBytes = 1500

/** The home page of the app, for a missing or unsafe return URL. */
const homeUrl = '/app/'

/**
 * Returns the URL in the app to redirect to after sign-in: `value` if it is safe, otherwise the home page. The rule is
 * stricter than that of the app, so that the app accepts every result. Neither rule leaves the origin.
 */
export function parseReturnUrl(value: string | null): string {
  return value !== null && isInApp(value) ? value : homeUrl
}

function isInApp(value: string): boolean {
  // Browsers remove tabs and line breaks and read a backslash as a slash, which could disguise a foreign URL.
  if (Buffer.byteLength(value) > maxBytes || !value.isWellFormed() || /[\p{Cc} \\]/u.test(value)) return false
  if (!/^\/app(?:[/?#]|$)/.test(value)) return false
  const url = URL.parse(value, 'http://origin')
  if (url?.origin !== 'http://origin') return false
  return /^\/app(?:\/|$)/.test(url.pathname) && !url.pathname.includes('//') && !value.split(/[?#]/)[0]?.includes('//')
}

/** Returns the URL of the app's page that redirects to the return URL by the app's own rule. */
export const toLandingUrl = (url: string): string => `/app/login?returnUrl=${encodeURIComponent(url)}`
