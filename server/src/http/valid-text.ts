import { invalidText } from './problems.ts'
import { isValidText } from './storable-text.ts'

/** Throws 400 if a name or a value cannot be stored. */
export function rejectInvalidText(...sources: Iterable<[string, string]>[]): void {
  const isValid = sources.every((entries) => [...entries].flat().every(isValidText))
  if (!isValid) throw invalidText()
}
