/** A text to be pasted elsewhere, with the token in it, and the same as it is shown. */
export interface Snippet {
  shown: string
  copied: string
}

const dots = '••••••••'

/** The call as a command of cURL. */
export const curlSnippet = (url: string, token: string): Snippet =>
  maskedIn((token) => `curl ${quoted(url)} \\\n  -H ${quoted(`Authorization: Bearer ${token}`)}`, token)

/** The token for a program that reads its settings from a file. */
export const envSnippet = (origin: string, token: string): Snippet =>
  maskedIn((token) => `PASSPORT_URL=${origin}\nPASSPORT_TOKEN=${token}`, token)

const maskedIn = (textWith: (token: string) => string, token: string): Snippet => ({
  shown: textWith(dots),
  copied: textWith(token),
})

/** As one word of a POSIX shell, whatever is in it. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
