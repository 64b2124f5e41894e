import { ApiError } from '@passport/contract/call'

/** Returns the sentence about a field of a rejected request; for a list, that of its first wrong entry. */
export function findFieldError(error: unknown, field: string): string | undefined {
  const errors = error instanceof ApiError ? error.problem?.errors : undefined
  return errors?.find((fieldError) => fieldError.field.split('[')[0] === field)?.message
}
