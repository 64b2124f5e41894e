/** Thrown for an invalid return URL; the message is that of the specification. */
export class InvalidReturnUrl extends Error {
  constructor() {
    super('ignoring invalid return URL')
  }
}

/**
 * Returns the page to open after sign-in: a single value that starts with / or /app/, without its first four
 * characters. An attacker may choose the rest, so the result is always a path of this app, never an absolute URL.
 * Throws `InvalidReturnUrl`.
 */
export function parseReturnUrl(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('/')) throw new InvalidReturnUrl()
  // Browsers treat `//` and `/\` as another host, and ignore tabs and newlines before that.
  if (/^\/[\\/]/.test(value) || /[\p{Cc}\\]/u.test(value)) throw new InvalidReturnUrl()
  const path = `/${value.substring(4).replace(/^\/+/, '')}`
  // Dot segments could lead out of the app, including those encoded as `%2e`.
  if (!/^\/app(?:\/|$)/.test(new URL(`/app${path}`, location.origin).pathname)) throw new InvalidReturnUrl()
  return path
}

/**
 * Returns the URL of the server's sign-in, outside the app, that returns to `target`: a full path including the base.
 */
export const formatSignInUrl = (target: string): string => `/login?returnUrl=${encodeURIComponent(target)}`

/** Returns the URL that the sign-in should return to: the page that was refused or not found. */
export function findReturnUrl(returnUrl: unknown, current: string): string {
  return typeof returnUrl === 'string' ? returnUrl : current
}
