/** The code that a user reads to support, which finds the log and the audit: the start of the trace id. */
export const supportCodeOf = (traceId: string): string => `${traceId.slice(0, 4)}-${traceId.slice(4, 8)}`.toUpperCase()
