import { ApiError } from '@passport/contract/call'

type Part = 'subject' | 'permission' | 'resource' | 'context' | 'consistency'
const parts: readonly Part[] = ['subject', 'permission', 'resource', 'context', 'consistency']

/** What the service found wrong with the parts of a question, each by its field. */
export function faultsOf(failure: Error | undefined): Partial<Record<Part, string>> {
  const errors = failure instanceof ApiError ? (failure.problem?.errors ?? []) : []
  return Object.fromEntries(
    parts.flatMap((part) => {
      const fault = errors.find(({ field }) => field === part || field.startsWith(`${part}.`))
      return fault ? [[part, fault.message]] : []
    }),
  )
}

/** What the service found wrong with values for caveats, by their parameters. */
export function valueFaultsOf(failure: Error): Record<string, string> {
  const errors = failure instanceof ApiError ? (failure.problem?.errors ?? []) : []
  return Object.fromEntries(
    errors.flatMap(({ field, message }) => (field.startsWith('context.') ? [[field.slice(8), message]] : [])),
  )
}
