import { invalidText } from './problems.ts'

/** PostgreSQL cannot store NUL, and invalid Unicode cannot be sent as UTF-8. */
export const isValidText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Rejects a request with unstorable text. Throws 400. */
export function rejectInvalidText(...sources: Iterable<[string, string]>[]): void {
  const isValid = sources.every((entries) => [...entries].flat().every(isValidText))
  if (!isValid) throw invalidText()
}
