import { type Endpoint, parsePathParameters, type RequestInput, type ResponseData } from './endpoint.ts'
import { phraseOf, phrases } from './phrases.ts'
import type { Problem } from './problem.ts'

/**
 * A response other than 2xx, with every field that the error catalogue requires (spec, section 8).
 * `message` is the phrase of a named status, otherwise `Generic Error` with status, status text and body.
 */
export class ApiError extends Error {
  readonly status: number
  /** Never empty: it falls back to the phrase of the status, because HTTP/2 and HTTP/3 send no status text. */
  readonly statusText: string
  readonly url: string
  /** The parsed JSON body, or its text if it is not JSON. */
  readonly body: unknown

  constructor(response: Response, url: string, body: unknown) {
    const statusText = response.statusText || phraseOf(response.status)
    const details = `status: ${response.status}; status text: ${statusText}; body: ${JSON.stringify(body, null, 2)}`
    super(phrases[response.status] ?? `Generic Error: ${details}`)
    this.name = 'ApiError'
    this.status = response.status
    this.statusText = statusText
    this.url = url
    this.body = body
  }

  /** The problem document, if the response came from the service and not from an intermediary. */
  get problem(): Problem | undefined {
    const { code, traceId } = (this.body ?? {}) as Partial<Problem>
    return typeof code === 'string' && typeof traceId === 'string' ? (this.body as Problem) : undefined
  }
}

export interface CallOptions {
  signal?: AbortSignal
  /** The expected ETag: the server responds 412 if the resource has another. */
  ifMatch?: string
  /** The resource must not exist, otherwise the server responds 412. */
  ifNoneMatch?: '*'
  /** Receives the version of the resource: the ETag of a success without quotes. */
  onVersion?: (version: string) => void
  /** Sends this request in place of the network, such as to report the progress of an upload. */
  send?: (request: Request) => Promise<Response>
}

/** Calls one endpoint. Rejects with `ApiError` for a non-2xx response, and with the error of `fetch` for none. */
export type Call = <E extends Endpoint>(
  endpoint: E,
  input: RequestInput<E>,
  options?: CallOptions,
) => Promise<ResponseData<E>>

/** The parts of a request, as a caller sends them. */
export interface Parts {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

/** Returns a `Call` for the service at `origin`; `send` may add a token or replace the network. */
export function createApiCall(origin: string, send = (request: Request): Promise<Response> => fetch(request)): Call {
  return async (endpoint, input, options) => {
    const url = buildUrl(origin, endpoint, input as Parts)
    const response = await (options?.send ?? send)(buildRequest(url, endpoint, (input as Parts).body, options))
    if (!response.ok) throw new ApiError(response, url.href, await readBody(response))
    const [, version] = /"(.*)"/.exec(response.headers.get('etag') ?? '') ?? []
    if (version) options?.onVersion?.(version)
    if (response.status === 204) return undefined as never
    // A preview has a body, even where the change itself returns none.
    const isJson = !endpoint.returns || (endpoint.returns.type === 'application/json' && !endpoint.returns.fileTypes)
    return (isJson ? await response.json() : await response.text()) as never
  }
}

/** Returns the URL of a call. Every parameter is one segment: a `/` is escaped, even in a rest parameter. */
export function buildUrl(origin: string, { path }: { path: string }, { params, query }: Parts): URL {
  let filled = path
  for (const { name, isRest } of parsePathParameters(path)) {
    filled = filled.replace(`{${name}${isRest ? '...' : ''}}`, () => encodeURIComponent(params?.[name] ?? ''))
  }
  const url = new URL(filled, origin)
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function buildRequest(url: URL, endpoint: Endpoint, body: unknown, options: CallOptions = {}): Request {
  const headers = new Headers()
  const { signal, ifMatch, ifNoneMatch } = options
  const init: RequestInit = { method: endpoint.method, headers, signal: signal ?? null }
  if (ifMatch) headers.set('if-match', ifMatch)
  if (ifNoneMatch) headers.set('if-none-match', ifNoneMatch)
  if (endpoint.body?.type === 'multipart/form-data' && Object.values(body as object).some(isFile)) {
    // `Request` adds the content type, with the boundary of the parts.
    init.body = toFormData(body as object)
  } else if (endpoint.body?.type === 'multipart/form-data') {
    headers.set('content-type', 'application/json')
    init.body = JSON.stringify(body)
  } else if (endpoint.body) {
    headers.set('content-type', endpoint.body.type)
    init.body = endpoint.body.type === 'application/json' ? JSON.stringify(body) : (body as string)
  }
  return new Request(url, init)
}

const isFile = (value: unknown) => value instanceof Blob

function toFormData(body: object): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(body)) if (value !== undefined) form.append(name, value)
  return form
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
