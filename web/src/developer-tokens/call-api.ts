/** The response of an API, for display. */
export interface ApiResponse {
  isOk: boolean
  /** The status code and text; “No response” without a response. */
  status: string
  durationMs: number
  /** The WWW-Authenticate header of a rejected token (RFC 6750, section 3). */
  challenge: string | null
  /** Indented if it is JSON. */
  body: string
}

/** Calls an API with only a token, without cookies, so that the response depends on the token. */
export async function callApi(token: string, url: string): Promise<ApiResponse> {
  const startedAt = performance.now()
  const measureMs = () => Math.round(performance.now() - startedAt)
  try {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' }
    const response = await fetch(url, { headers, credentials: 'omit', cache: 'no-store' })
    const body = indentJson(await response.text())
    const status = `${response.status} ${response.statusText}`.trim()
    const challenge = response.headers.get('www-authenticate')
    return { isOk: response.ok, status, durationMs: measureMs(), challenge, body }
  } catch {
    return { isOk: false, status: 'No response', durationMs: measureMs(), challenge: null, body: '' }
  }
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
