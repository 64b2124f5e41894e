const hourSeconds = 60 * 60
export const daySeconds: number = 24 * hourSeconds

/** The lifetimes of tokens in seconds; those of access tokens for an API depend on the API. */
export const lifetimes = { AccessToken: hourSeconds, IdToken: hourSeconds, RefreshToken: 14 * daySeconds }
