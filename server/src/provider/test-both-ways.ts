import { decodeJwt } from 'jose'
import type { TestService } from '../test-service.ts'

/** A response, as far as two requests with the same parameters must agree. */
export interface Outcome {
  status: number
  headers: Record<string, string>
  body: unknown
}

/** The headers that differ from request to request, or only describe the connection. */
const varying = new Set(['x-trace-id', 'date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding'])
/** Random values, times and signatures; only whether they are there must agree. */
const random = new Set([
  ...['nonce', 'sid', 'grantId', 'sessionUid', 'auth_time', 'authTime', 'loginTs', 'ts', 'iiat'],
  'access_token',
  'refresh_token',
  'id_token',
  'jti',
  'iat',
  'exp',
  'traceId',
  'supportCode',
])

/**
 * Sends a request to the direct handler of a path. With `byLibrary` the library answers it: an unknown parameter in the
 * query excludes the direct handler, and the protocol ignores it.
 */
export function createSender({ url }: Pick<TestService, 'url'>) {
  return (path: string, init: RequestInit = {}, byLibrary = false): Promise<Response> =>
    fetch(`${url}${path}${byLibrary ? `${path.includes('?') ? '&' : '?'}library` : ''}`, init)
}

/** Reads what two responses to the same request must agree in, including the claims of their tokens. */
export async function readOutcome(response: Response): Promise<Outcome> {
  const text = await response.text()
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !varying.has(name)))
  return { status: response.status, headers, body: normalise(parse(text)) }
}

/** Replaces random values by their kind, and JWTs by their claims. */
function normalise(value: unknown, name = ''): unknown {
  if (typeof value === 'string' && value.split('.').length === 3 && random.has(name)) return normalise(decodeJwt(value))
  if (random.has(name)) return typeof value
  if (Array.isArray(value)) return value.map((item) => normalise(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normalise(item, key)]))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
