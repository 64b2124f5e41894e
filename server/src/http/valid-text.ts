import { invalidText } from './problems.ts'
import { isValidText } from './storable-text.ts'

/** Throws 400 if a name or a value cannot be stored. */
export function rejectInvalidText(...sources: Iterable<[string, string]>[]): void {
  const isValid = sources.every((entries) => [...entries].flat().every(isValidText))
  if (!isValid) throw invalidText()
}

/** Throws 400 if the path or a part of the query of a request cannot be stored. */
export function rejectInvalidTarget(path: string, query: string): void {
  rejectInvalidText([['path', decodePath(path)]], new URLSearchParams(query))
}

/** Decodes a path; returns NUL, which is rejected, if that is impossible. */
function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '\0'
  }
}
