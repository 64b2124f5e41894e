/** What an API answered, to be shown. */
export interface Answer {
  isGood: boolean
  /** Number and text; “No answer” where there was none. */
  status: string
  ms: number
  /** Why a token was refused (RFC 6750, section 3). */
  challenge: string | null
  /** Indented where it is JSON. */
  body: string
}

/** Calls an API with a token alone: no cookie goes along, so that the answer is that to the token. */
export async function callWith(token: string, url: string): Promise<Answer> {
  const startedAt = performance.now()
  const since = () => Math.round(performance.now() - startedAt)
  try {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
    const response = await fetch(url, { headers, credentials: 'omit', cache: 'no-store' })
    const body = indented(await response.text())
    const status = `${response.status} ${response.statusText}`.trim()
    return { isGood: response.ok, status, ms: since(), challenge: response.headers.get('www-authenticate'), body }
  } catch {
    return { isGood: false, status: 'No answer', ms: since(), challenge: null, body: '' }
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
