import type { RunningServer } from '@passport/world/process'

/** The client of the benchmark, as configured on the server. */
export const benchClient = {
  clientId: 'bench',
  clientName: 'Bench',
  clientSecret: 'the secret of what measures the speed',
  scopes: ['permissions.read', 'permissions.write'],
}

const tools = '/passport/admin/tools/permissions'

/** A server as seen by that client. */
export interface PermissionClient {
  url: string
  headers: Record<string, string>
  urlOf: (path: string) => string
  /** Sends JSON, or text as YAML; throws unless the response is successful. */
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>
}

export async function signInClient({ url }: Pick<RunningServer, 'url'>): Promise<PermissionClient> {
  const { clientId, clientSecret, scopes } = benchClient
  const response = await fetch(new URL('/connect/token', url), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(clientSecret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  if (!token) throw new Error(`No token: ${response.status}`)
  return createClient(url, token)
}

/** Reuses a token issued earlier by the same installation. */
export function createClient(url: string, token: string): PermissionClient {
  const headers = { authorization: `Bearer ${token}` }
  const urlOf = (path: string) => new URL(`${tools}${path}`, url).href
  return {
    url,
    headers,
    urlOf,
    call: async (method, path, body) => {
      const isText = typeof body === 'string'
      const response = await fetch(urlOf(path), {
        method,
        headers: { ...headers, 'content-type': isText ? 'text/plain' : 'application/json' },
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`)
      return JSON.parse(text)
    },
  }
}
