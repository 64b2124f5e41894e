/**
 * Returns the code that a user gives to support: the start of the trace id, by which the log and the audit can be
 * searched.
 */
export const supportCodeOf = (traceId: string): string => `${traceId.slice(0, 4)}-${traceId.slice(4, 8)}`.toUpperCase()
