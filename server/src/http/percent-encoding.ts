/** Decodes percent-encoded text; text with an invalid sequence stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
