/** A text to paste, with the token, and its masked form for display. */
export interface Snippet {
  masked: string
  text: string
}

const mask = '••••••••'

/** Creates a cURL command that calls a URL with the token. */
export const createCurlSnippet = (url: string, token: string): Snippet =>
  createSnippet((token) => `curl ${quote(url)} \\\n  -H ${quote(`Authorization: Bearer ${token}`)}`, token)

/** Creates the lines of a `.env` file with the URL and the token. */
export const createEnvSnippet = (origin: string, token: string): Snippet =>
  createSnippet((token) => `PASSPORT_URL=${origin}\nPASSPORT_TOKEN=${token}`, token)

const createSnippet = (format: (token: string) => string, token: string): Snippet => ({
  masked: format(mask),
  text: format(token),
})

/** Quotes any text as one word of a POSIX shell. */
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
