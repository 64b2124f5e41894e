import type { RunningServer } from '@passport/world/process'

/** The OAuth client that the benchmark configures on the server. */
export const benchClient = {
  clientId: 'bench',
  clientName: 'Bench',
  clientSecret: 'the secret of the benchmark client',
  scopes: ['permissions.read', 'permissions.write'],
}

const basePath = '/passport/admin/tools/permissions'

/** The permission API of a server, called as the benchmark client. */
export interface PermissionClient {
  url: string
  headers: Record<string, string>
  urlOf: (path: string) => string
  /** Sends a string as `text/plain` (a YAML file), other values as JSON. Throws unless the status is 2xx. */
  call: (method: string, path: string, body?: unknown) => Promise<Record<string, unknown>>
}

/** Requests an access token with the client credentials grant, and returns the client. Throws if the request fails. */
export async function authenticateClient({ url }: Pick<RunningServer, 'url'>): Promise<PermissionClient> {
  const { clientId, clientSecret, scopes } = benchClient
  const response = await fetch(new URL('/connect/token', url), {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${encodeURIComponent(clientSecret)}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }),
  })
  const { access_token: token } = (await response.json()) as { access_token: string }
  if (!token) throw new Error(`The token request failed with ${response.status}`)
  return createClient(url, token)
}

/** Creates a client that sends this access token. */
export function createClient(url: string, token: string): PermissionClient {
  const headers = { authorization: `Bearer ${token}` }
  const urlOf = (path: string) => new URL(`${basePath}${path}`, url).href
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
