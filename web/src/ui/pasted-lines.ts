/** Splits a pasted list at newlines, commas, semicolons and tabs; unique entries in their original order. */
export function parsePastedLines(text: string): string[] {
  const entries = text.split(/[\n\r\t,;]+/).map((entry) => entry.trim())
  return [...new Set(entries.filter((entry) => entry !== ''))]
}
