interface CookieOptions {
  path?: string
  maxAgeSeconds?: number
  isForFrames?: boolean
}

/** The cookies of a request and those that its response sets. */
export interface Cookies {
  get: (name: string) => string | undefined
  names: () => string[]
  /**
   * Sets a cookie: HttpOnly and SameSite=Lax, and Secure if the public URL is https. Without `maxAgeSeconds` it lasts
   * until the browser closes. `isForFrames` lets scripts read it, and browsers send it to our frames in other sites.
   */
  set: (name: string, value: string, options?: CookieOptions) => void
  clear: (name: string, options?: { path?: string }) => void
  /** The `Set-Cookie` lines of the response. */
  readonly toSet: string[]
}

/** Parses a `Cookie` header (RFC 6265); `isSecure` means that browsers reach the server over https. */
export function createCookies(header: string | undefined, isSecure: boolean): Cookies {
  const sent = new Map<string, string>()
  for (const pair of header?.split(';') ?? []) {
    const index = pair.indexOf('=')
    // The first cookie of a name has the longest path, so one with a shorter path cannot override it.
    if (index > 0 && !sent.has(pair.slice(0, index).trim()))
      sent.set(pair.slice(0, index).trim(), pair.slice(index + 1).trim())
  }
  const toSet: string[] = []
  const formatAttributes = (path: string) => `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  // Cookies in frames of other sites require https; on localhost all ports are one site.
  const formatFrameAttributes = (path: string) => `Path=${path}; ${isSecure ? 'SameSite=None; Secure' : 'SameSite=Lax'}`
  return {
    toSet,
    get: (name) => sent.get(name),
    names: () => [...sent.keys()],
    set: (name, value, { path = '/', maxAgeSeconds, isForFrames = false } = {}) => {
      const maxAge = maxAgeSeconds === undefined ? '' : `; Max-Age=${maxAgeSeconds}`
      toSet.push(`${name}=${value}; ${isForFrames ? formatFrameAttributes(path) : formatAttributes(path)}${maxAge}`)
    },
    clear: (name, { path = '/' } = {}) => {
      toSet.push(`${name}=; ${formatAttributes(path)}; Max-Age=0`)
    },
  }
}
