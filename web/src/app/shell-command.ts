/** Quotes text as one word of a POSIX shell. */
export const quoteWord = (text: string): string =>
  /^[\w:/#.-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** A call of this server; one with a body is a POST. */
export interface ServerCall {
  url: string
  body?: unknown
}

/**
 * Formats a call as a command of curl, with the token in `$TOKEN`. A URL is in single quotes; brackets and braces in it
 * are encoded, because curl expands them.
 */
export function formatCurl({ url, body }: ServerCall): string {
  const encoded = url.replace(/['[\]{}]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  const words = [`curl '${encoded}'`, '-H "Authorization: Bearer $TOKEN"']
  if (body === undefined) return words.join(' ')
  return [...words, "-H 'Content-Type: application/json'", `-d ${quoteWord(JSON.stringify(body))}`].join(' \\\n  ')
}
