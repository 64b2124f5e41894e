/**
 * Returns the code that a user gives to support: the start of the request id, by which the log, the audit log and the
 * traces of sign-ins can be searched.
 */
export const supportCodeOf = (requestId: string): string =>
  `${requestId.slice(0, 4)}-${requestId.slice(4, 8)}`.toUpperCase()

/** Returns the first 8 digits of the request id of a support code. */
export const digitsOf = (supportCode: string): string => supportCode.replace('-', '').toLowerCase()
