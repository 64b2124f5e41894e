import { type Endpoint, parametersOf, type Returned, type Sent } from './endpoint.ts'
import { phraseOf, phrases } from './phrases.ts'
import type { Problem } from './problem.ts'

/**
 * An answer other than 2xx, with all that the error catalogue asks of it (spec, section 8).
 * `message` is the phrase of a named status, otherwise `Generic Error` with status, status text and body.
 */
export class ApiError extends Error {
  readonly status: number
  /** Never empty: HTTP/2 and HTTP/3 send no status text, then it is the phrase of the status. */
  readonly statusText: string
  readonly url: string
  /** The JSON that came, or its text where it was none. */
  readonly body: unknown

  constructor(response: Response, url: string, body: unknown) {
    const statusText = response.statusText || phraseOf(response.status)
    const told = `status: ${response.status}; status text: ${statusText}; body: ${JSON.stringify(body, null, 2)}`
    super(phrases[response.status] ?? `Generic Error: ${told}`)
    this.name = 'ApiError'
    this.status = response.status
    this.statusText = statusText
    this.url = url
    this.body = body
  }

  /** What the service told, where the answer came from it and not from something in between. */
  get problem(): Problem | undefined {
    const { code, traceId } = (this.body ?? {}) as Partial<Problem>
    return typeof code === 'string' && typeof traceId === 'string' ? (this.body as Problem) : undefined
  }
}

export interface CallOptions {
  signal?: AbortSignal
  /** Refuse with 412 unless this is the version that the server holds. */
  ifMatch?: string
}

/** Calls one endpoint; rejects with `ApiError` for every answer but 2xx, and with what `fetch` throws for none. */
export type Call = <E extends Endpoint>(endpoint: E, sent: Sent<E>, options?: CallOptions) => Promise<Returned<E>>

interface Parts {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** A `Call` to the service at `origin`; `send` may add a token, or stand in for the network. */
export function caller(origin: string, send = (request: Request): Promise<Response> => fetch(request)): Call {
  return async (endpoint, sent, options) => {
    const url = urlOf(origin, endpoint, sent as Parts)
    const response = await send(requestOf(url, endpoint, (sent as Parts).body, options))
    if (!response.ok) throw new ApiError(response, url.href, await readBody(response))
    if (response.status === 204) return undefined as never
    // A preview answers, also where the change itself says nothing.
    const isJson = !endpoint.returns || (endpoint.returns.type === 'application/json' && !endpoint.returns.fileTypes)
    return (isJson ? await response.json() : await response.text()) as never
  }
}

/** Every parameter is one encoded segment, also the one that takes the rest of a path: a `/` in it stays a part of it. */
function urlOf(origin: string, { path }: Endpoint, { params, query }: Parts): URL {
  let filled = path as string
  for (const { name, isRest } of parametersOf(path)) {
    filled = filled.replace(`{${name}${isRest ? '...' : ''}}`, () => encodeURIComponent(params?.[name] ?? ''))
  }
  const url = new URL(filled, origin)
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function requestOf(url: URL, endpoint: Endpoint, body: unknown, { signal, ifMatch }: CallOptions = {}): Request {
  const headers = new Headers()
  const init: RequestInit = { method: endpoint.method, headers, signal: signal ?? null }
  if (ifMatch) headers.set('if-match', ifMatch)
  if (endpoint.body) {
    headers.set('content-type', endpoint.body.type)
    init.body = endpoint.body.type === 'application/json' ? JSON.stringify(body) : (body as string)
  }
  return new Request(url, init)
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
