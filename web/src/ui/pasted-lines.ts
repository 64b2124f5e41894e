/** The entries of a pasted list: one a line, or parted by commas, semicolons or tabs; each once, in their order. */
export function pastedLines(text: string): string[] {
  const entries = text.split(/[\n\r\t,;]+/).map((entry) => entry.trim())
  return [...new Set(entries.filter((entry) => entry !== ''))]
}
