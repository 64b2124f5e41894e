import { invalidText } from './problems.ts'

/** Reports whether a text can be stored: PostgreSQL cannot store NUL, and UTF-8 has no unpaired surrogates. */
export const isValidText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Throws 400 if a name or a value cannot be stored. */
export function rejectInvalidText(...sources: Iterable<[string, string]>[]): void {
  const isValid = sources.every((entries) => [...entries].flat().every(isValidText))
  if (!isValid) throw invalidText()
}
