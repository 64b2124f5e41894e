/** A text to paste, with the token, and its masked form for display. */
export interface Snippet {
  masked: string
  text: string
}

const mask = '••••••••'

/** Returns the call as a cURL command. */
export const createCurlSnippet = (url: string, token: string): Snippet =>
  createSnippet((token) => `curl ${quote(url)} \\\n  -H ${quote(`Authorization: Bearer ${token}`)}`, token)

/** Returns the token for a program that reads its settings from a file. */
export const createEnvSnippet = (origin: string, token: string): Snippet =>
  createSnippet((token) => `PASSPORT_URL=${origin}\nPASSPORT_TOKEN=${token}`, token)

const createSnippet = (format: (token: string) => string, token: string): Snippet => ({
  masked: format(mask),
  text: format(token),
})

/** Quotes any text as one word of a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
