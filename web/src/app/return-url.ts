/** Thrown for a return URL that is not one; the message is that of the specification. */
export class InvalidReturnUrl extends Error {
  constructor() {
    super('ignoring invalid return URL')
  }
}

/**
 * Where in the app to go after sign-in: a single value that starts with / or /app/, without its first four characters.
 * What is left is chosen by whoever made the link, so it is only ever a path of this app: never an address of its own,
 * however it looks. Throws `InvalidReturnUrl`.
 */
export function pathAfterLogin(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('/')) throw new InvalidReturnUrl()
  // Browsers read `//` and `/\` as another host, and drop tabs and line ends while they look.
  if (/^\/[\\/]/.test(value) || /[\p{Cc}\\]/u.test(value)) throw new InvalidReturnUrl()
  const path = `/${value.substring(4).replace(/^\/+/, '')}`
  // Dots lead out of the app, and so do those that are written `%2e`.
  if (!/^\/app(?:\/|$)/.test(new URL(`/app${path}`, location.origin).pathname)) throw new InvalidReturnUrl()
  return path
}

/** The sign-in of the server, outside the app, which leads back to `target`: the full path of a page with its base. */
export const signInAddress = (target: string): string => `/login?returnUrl=${encodeURIComponent(target)}`

/** The page that someone came from who may not see it, or that is not there: what the sign-in should lead back to. */
export function originalTarget(returnUrl: unknown, current: string): string {
  return typeof returnUrl === 'string' ? returnUrl : current
}
