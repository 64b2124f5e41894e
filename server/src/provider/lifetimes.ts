const hourSeconds = 60 * 60
const daySeconds = 24 * hourSeconds

/** The lifetimes of what the issuer keeps, in seconds; those of access tokens for an API depend on the API. */
export const lifetimes = {
  AccessToken: hourSeconds,
  AuthorizationCode: 60,
  IdToken: hourSeconds,
  RefreshToken: 14 * daySeconds,
  Session: 7 * daySeconds,
}

/** The library extends its session at each use; its row is extended once in this time. */
export const extensionSeconds: number = hourSeconds
