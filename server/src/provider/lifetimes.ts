/** Returns the current time in seconds since 1970. */
export const epochSeconds = (): number => Math.floor(Date.now() / 1000)

const hourSeconds = 60 * 60
const daySeconds = 24 * hourSeconds

/** The lifetimes of what the issuer keeps, in seconds; those of access tokens for an API depend on the API. */
export const lifetimes = {
  AccessToken: hourSeconds,
  AuthorizationCode: 60,
  Grant: 14 * daySeconds,
  IdToken: hourSeconds,
  Interaction: 10 * 60,
  PushedRequest: 60,
  RefreshToken: 14 * daySeconds,
  Session: 7 * daySeconds,
}

/** The lifetime of a device code (RFC 8628, section 3.2); short, because a user code may be phished. */
export const deviceCodeSeconds = 10 * 60

/** The library extends its session at each use; its row is extended once in this time. */
export const extensionSeconds: number = hourSeconds
