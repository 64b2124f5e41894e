import { ApiError } from '@passport/contract/call'

type Part = 'subject' | 'permission' | 'resource' | 'context' | 'consistency'
const parts: readonly Part[] = ['subject', 'permission', 'resource', 'context', 'consistency']

/** Returns the service's errors for the parts of a question, by field. */
export function toFieldErrors(failure: Error | undefined): Partial<Record<Part, string>> {
  const errors = failure instanceof ApiError ? (failure.problem?.errors ?? []) : []
  return Object.fromEntries(
    parts.flatMap((part) => {
      const fieldError = errors.find(({ field }) => field === part || field.startsWith(`${part}.`))
      return fieldError ? [[part, fieldError.message]] : []
    }),
  )
}

/** Returns the service's errors for context values, by parameter. */
export function toValueErrors(failure: Error): Record<string, string> {
  const errors = failure instanceof ApiError ? (failure.problem?.errors ?? []) : []
  return Object.fromEntries(
    errors.flatMap(({ field, message }) => (field.startsWith('context.') ? [[field.slice(8), message]] : [])),
  )
}
