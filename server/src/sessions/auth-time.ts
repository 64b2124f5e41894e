/**
 * When a person proved who they are, ISO 8601, from the claim of that name in seconds since 1970 (OpenID Connect Core,
 * section 2). A provider that leaves it out may have known them for hours: then it is 1970, which nobody takes for fresh.
 */
export const instantOf = (authTime: unknown): string => {
  const seconds = typeof authTime === 'number' && Number.isFinite(authTime) ? authTime : 0
  return new Date(seconds * 1000).toISOString()
}
