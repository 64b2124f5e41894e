/**
 * Converts an `auth_time` claim, in seconds since 1970 (OpenID Connect Core, section 2), to ISO 8601. A missing claim
 * becomes 1970, which never counts as recent: the provider may have remembered the user for hours.
 */
export const toInstant = (authTime: unknown): string => {
  const seconds = typeof authTime === 'number' && Number.isFinite(authTime) ? authTime : 0
  return new Date(seconds * 1000).toISOString()
}
