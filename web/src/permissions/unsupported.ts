import { ApiError } from '@passport/contract/call'

/** Reports whether a call failed because the permission engine does not support the operation. */
export const isUnsupported = (error: unknown): boolean => error instanceof ApiError && error.status === 501
