import { decodeJwt } from 'jose'
import { expect } from 'vitest'
import { post } from './test-requests.ts'

// What the responses of the service and of the library must agree in.

/** A response, as far as both sides must agree. */
export interface Outcome {
  /** The status, and the error or where the browser goes. */
  summary: string
  headers: Record<string, string>
  body: unknown
}

const comparedHeaders = ['cache-control', 'access-control-allow-origin', 'access-control-expose-headers', 'etag']

type Send = (path: string, init: RequestInit) => Promise<Response>

/** Reads a response. The tokens in it are introspected, which `send` does. */
export async function readOutcome(send: Send, response: Response): Promise<Outcome> {
  const { status, headers: sent } = response
  const text = await response.text()
  const location = sent.get('location')
  const [type = ''] = (sent.get('content-type') ?? '').split(';')
  const headers: Record<string, string> = { type: text === '' || location ? '' : type }
  for (const name of comparedHeaders) headers[name] = sent.get(name) ?? ''
  headers['etag'] &&= 'some'
  // The descriptions are sentences of ours.
  headers['www-authenticate'] = [...(sent.get('www-authenticate') ?? '').matchAll(/(Basic|Bearer|DPoP) |error="\w+"/g)]
    .map(([match]) => match)
    .join('')
  if (location) return { summary: `${status} ${describeRedirect(location)}`, headers, body: readRedirect(location) }
  if (type === 'text/html') return { ...readPage(status, text), headers }
  const body = type.endsWith('json') && text ? (JSON.parse(text) as Record<string, unknown>) : {}
  const error = typeof body['error'] === 'string' ? body['error'] : typeof body['code'] === 'string' ? body['code'] : ''
  const detail = 'active' in body ? `active=${body['active']}` : error
  const tokens = 'access_token' in body ? await introspectBoth(send, body) : {}
  return {
    summary: `${status} ${detail}`.trim(),
    headers,
    body: error ? {} : { ...(normalise(body) as object), ...tokens },
  }
}

/** Compares outcomes. The library lets responses be cached that have no secret; the service does not. */
export function expectEqual(ours: Outcome, theirs: Outcome): void {
  const cacheControl = theirs.headers['cache-control'] || ours.headers['cache-control']?.replace(/^(?!no-store$).*/, '')
  expect(ours).toEqual({ ...theirs, headers: { ...theirs.headers, 'cache-control': cacheControl } })
}

/** Reads the tokens of a response by introspection, so that their form does not matter. */
async function introspectBoth(send: Send, body: Record<string, unknown>) {
  const read = async (name: string) => {
    const token = body[name]
    if (typeof token !== 'string') return {}
    const response = await send('/connect/introspect', post({ token }))
    return { [name]: normalise(await response.json()) }
  }
  return { ...(await read('access_token')), ...(await read('refresh_token')) }
}

/** The claims that the service adds to every ID token, and the library only on request. */
const addedClaims = new Set(['azp', 'auth_time', 'amr', 'acr'])
/** Random values and times; only whether they are there must agree. */
const random = new Set([
  ...['access_token', 'refresh_token', 'sid', 'jti', 'code', 'request_uri'],
  ...['device_code', 'user_code', 'verification_uri_complete'],
])
/** Members that only the service sends: the default of RFC 8628, and session management. */
const addedMembers = new Set(['interval', 'session_state'])

/** Replaces random values by their type, times by the lifetime, and ID tokens by their claims. */
function normalise(value: unknown, name = ''): unknown {
  if (name === 'id_token' && typeof value === 'string') {
    const claims = Object.entries(decodeJwt(value)).filter(([claim]) => !addedClaims.has(claim))
    const [{ alg }] = [JSON.parse(Buffer.from(value.split('.')[0] ?? '', 'base64url').toString()) as { alg: string }]
    return { alg, ...(normalise(Object.fromEntries(claims)) as object) }
  }
  if (random.has(name)) return typeof value
  if (name === 'scope' && typeof value === 'string') return value.split(' ').toSorted()
  if (Array.isArray(value)) return value.map((item) => normalise(item)).toSorted()
  if (typeof value !== 'object' || value === null) return value
  const { iat, exp, error_description: _, ...others } = value as Record<string, unknown>
  const known = Object.entries(others).filter(([key]) => !addedMembers.has(key))
  const lifetime = typeof iat === 'number' && typeof exp === 'number' ? { lifetime: exp - iat } : {}
  return {
    ...Object.fromEntries(known.map(([key, item]) => [key, normalise(item, key)])),
    ...lifetime,
  }
}

function readRedirect(location: string): unknown {
  const { hash, searchParams } = new URL(location, 'http://relative')
  const parameters = hash ? new URLSearchParams(hash.slice(1)) : searchParams
  // The library adds the scope to an error, which no standard does.
  if (parameters.has('error')) parameters.delete('scope')
  return normalise(Object.fromEntries(parameters))
}

/** Describes a redirect to a client: `code` or the error, and the response mode if it is not the query. */
function describeRedirect(location: string): string {
  const { hash } = new URL(location, 'http://relative')
  const { code, error } = readRedirect(location) as { code?: string; error?: string }
  return [code ? 'code' : (error ?? location), ...(hash ? ['fragment'] : [])].join(' ')
}

export const isConsentPage = (text: string) => /name="answer" value="allow"|needs <code>consent<.code>/.test(text)

/** Reads a page: a form for the client, an error, or what the user is asked. */
function readPage(status: number, text: string): Omit<Outcome, 'headers'> {
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
  const [, action = ''] = /<form method="post" action="(https?:\/\/[^"]*)"/.exec(text) ?? []
  const body = action ? normalise(Object.fromEntries(inputs.map(([, name, value]) => [name, value]))) : {}
  const { code, error } = body as { code?: string; error?: string }
  if (action) return { summary: `${status} ${code ? 'code' : error} form_post`, body }
  const isConsent = isConsentPage(text)
  const isSignIn = /name="password"|needs <code>(?:login|select_account)<\/code>/.test(text)
  if (status === 200 && (isConsent || isSignIn)) return { summary: isConsent ? 'consent' : 'sign-in', body: {} }
  return { summary: `${status} page ${/<code>([a-z_]+)<\/code>/.exec(text)?.[1] ?? ''}`.trim(), body: {} }
}
