import { lookup as lookupAddresses } from 'node:dns'
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Config } from '../config.ts'
import { parseForeignJson } from './foreign-json.ts'

/** Sends all HTTP requests of this server; a lint rule forbids other ways. */
export interface HttpClient {
  /**
   * Sends a request like the global `fetch`, without following redirects. Rejects with a `TypeError` if no response
   * arrives within 15 s, or if it has more than 1 MiB; `cause` has the reason. Its `json` rejects what cannot be stored.
   *
   * A URL outside the operator's own origins must be https on port 443 and resolve to public addresses. Providers name
   * such URLs in their metadata, and could otherwise make this server call machines in its own network.
   */
  fetch: (url: string | URL, init?: HttpRequestOptions) => Promise<Response>
  /**
   * Downloads a file from a URL that a user chose, and follows up to 2 redirects. The origins of the operator are not
   * exempt, since users could otherwise read them. Rejects unless the response is 200 with at most `maxBytes`.
   */
  download: (url: string | URL, limits: { maxBytes: number }) => Promise<Uint8Array<ArrayBuffer>>
}

/** The supported members of fetch's `RequestInit`; a body is bytes, or is sent as its text. */
export interface HttpRequestOptions {
  method?: string
  headers?: ConstructorParameters<typeof Headers>[0]
  body?: unknown
  signal?: AbortSignal | null | undefined
}

/** The settings with URLs of other servers. */
type OperatorSettings = Pick<
  Config,
  'authority' | 'identityProviders' | 'entraClouds' | 'connectors' | 'meta' | 'clients'
> & { awsMarketplace?: Config['awsMarketplace'] }

const maxResponseBytes = 1024 * 1024
const maxRedirects = 2
const connectTimeoutMs = 5_000
const totalTimeoutMs = 15_000

/**
 * Creates the HTTP client. Origins in the configuration are the operator's: they may be private, plain http, and on any
 * port. Requests to the public origin go to `ownUrl`, since a server behind a proxy may not reach its own public name.
 */
export function createHttpClient(
  config: Pick<Config, 'publicUrl' | 'allowedPrivateHosts'> & OperatorSettings,
  ownUrl: string,
): HttpClient {
  const operatorOrigins = findOperatorOrigins(config)
  const agents = {
    operator: { http: new HttpAgent({ keepAlive: true }), https: new HttpsAgent({ keepAlive: true }) },
    foreign: new HttpsAgent({ keepAlive: true }),
  }

  const requestForeign = (url: URL, options: RequestOptions, body: unknown, maxBytes: number) => {
    const lookup = createPublicLookup(url, config.allowedPrivateHosts)
    return receive(httpsRequest(url, { ...options, agent: agents.foreign, lookup }), body, maxBytes)
  }

  return {
    fetch: async (target, init = {}) => {
      const url = new URL(target)
      const headers = Object.fromEntries(new Headers(init.headers))
      const signals = [AbortSignal.timeout(totalTimeoutMs), ...(init.signal ? [init.signal] : [])]
      const options = { method: init.method ?? 'GET', signal: AbortSignal.any(signals) }
      // Compressed bodies could expand beyond the limit.
      const sent = { ...headers, 'accept-encoding': 'identity' }
      try {
        if (url.origin === config.publicUrl) {
          const rewrittenUrl = new URL(url.pathname + url.search, ownUrl)
          const agent = agents.operator.http
          return await receive(
            httpRequest(rewrittenUrl, { ...options, agent, headers: { ...sent, host: url.host } }),
            init.body,
            maxResponseBytes,
          )
        }
        if (operatorOrigins.has(url.origin)) {
          const isHttp = url.protocol === 'http:'
          const request = isHttp
            ? httpRequest(url, { ...options, headers: sent, agent: agents.operator.http })
            : httpsRequest(url, { ...options, headers: sent, agent: agents.operator.https })
          return await receive(request, init.body, maxResponseBytes)
        }
        return await requestForeign(url, { ...options, headers: sent }, init.body, maxResponseBytes)
      } catch (cause) {
        init.signal?.throwIfAborted()
        throw new TypeError('fetch failed', { cause })
      }
    },

    download: async (target, { maxBytes }) => {
      const options = { headers: { 'accept-encoding': 'identity' }, signal: AbortSignal.timeout(totalTimeoutMs) }
      let url = new URL(target)
      for (let redirects = 0; ; redirects++) {
        if (url.origin === config.publicUrl) throw new Error(`${url.origin} is this server`)
        const response = await requestForeign(url, options, undefined, maxBytes)
        const location = response.headers.get('location')
        const isRedirect = response.status >= 300 && response.status < 400 && location !== null
        if (!isRedirect && response.status === 200) return new Uint8Array(await response.arrayBuffer())
        if (!isRedirect || redirects === maxRedirects) throw new Error(`${url.host} responds with ${response.status}`)
        url = new URL(location, url)
      }
    },
  }
}

/** Returns the origins of the URLs in the configuration. */
function findOperatorOrigins({
  authority,
  identityProviders,
  entraClouds,
  connectors,
  meta,
  clients,
  awsMarketplace,
}: OperatorSettings): Set<string> {
  const urls = [
    authority,
    meta?.graphUrl,
    awsMarketplace?.endpointUrl,
    awsMarketplace?.snsEndpointUrl,
    ...entraClouds.flatMap(({ authority, graph }) => [authority, graph]),
    ...connectors.map(({ issuer }) => issuer),
    ...identityProviders.map((provider) => (provider.kind === 'oidc' ? provider.issuer : undefined)),
    ...clients.map(({ backchannelLogoutUri }) => backchannelLogoutUri),
  ]
  return new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).origin])))
}

/**
 * Checks a URL that the operator did not choose, and returns its name resolution: the connection uses the IP address
 * that was checked, so that a second DNS response cannot replace it. Throws if the URL itself is not allowed.
 */
export function createPublicLookup(url: URL, allowedPrivateHosts: string[]): LookupFunction {
  const { host, hostname, protocol, username, password, port } = url
  const isAllowed = allowedPrivateHosts.includes(host)
  if (protocol !== 'https:') throw new Error(`${url.origin} is not https`)
  if (username || password) throw new Error(`The URL of ${host} contains credentials`)
  if (port !== '' && !isAllowed) throw new Error(`${host} is not on port 443`)
  const literal = hostname.replace(/^\[|\]$/g, '')
  if (ipaddr.isValid(literal) && !isAllowed) requirePublic(literal, host)
  return (name, options, callback) => {
    lookupAddresses(name, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      try {
        if (!isAllowed) for (const { address } of addresses) requirePublic(address, host)
      } catch (notPublic) {
        return callback(notPublic as Error, '')
      }
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      callback(null, first?.address ?? '', first?.family)
    })
  }
}

/**
 * Throws unless an IP address is global unicast. IPv4 within IPv6 (mapped, NAT64, 6to4) does not count, and the only
 * global unicast addresses of IPv6 are in 2000::/3 (RFC 4291, section 2.4, and IANA's registry).
 */
function requirePublic(address: string, host: string) {
  const parsed = ipaddr.parse(address)
  const isAllocated = parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20
  if (isAllocated && parsed.range() === 'unicast') return
  throw new Error(`${host} has the private address ${address}; ALLOWED_PRIVATE_HOSTS does not list it`)
}

/** Sends the request and reads the whole response, up to `maxBytes`. */
function receive(request: ClientRequest, body: unknown, maxBytes: number): Promise<Response> {
  return new Promise((resolve, reject) => {
    const connecting = setTimeout(
      () => request.destroy(new Error(`no connection within ${connectTimeoutMs} ms`)),
      connectTimeoutMs,
    )
    const stopTimer = () => clearTimeout(connecting)
    request.on('socket', (socket) => {
      if (!socket.connecting) return stopTimer()
      socket.once('secureConnect', stopTimer)
      if (!('encrypted' in socket)) socket.once('connect', stopTimer)
    })
    request.on('close', stopTimer)
    request.on('error', reject)
    request.on('response', (incoming) => {
      readBody(incoming, maxBytes).then((bytes) => resolve(toResponse(incoming, bytes)), reject)
    })
    request.end(body === undefined || body === null ? undefined : body instanceof Uint8Array ? body : String(body))
  })
}

async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const encoding = incoming.headers['content-encoding'] ?? 'identity'
  const chunks: Buffer[] = []
  let length = 0
  try {
    if (encoding !== 'identity') throw new Error(`the response is compressed (${encoding})`)
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > maxBytes) throw new Error(`the response is longer than ${maxBytes} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    incoming.destroy()
    throw error
  }
  return Buffer.concat(chunks)
}

/** Makes `json` check what it returns, also where a library calls it. */
function checkJson(response: Response): Response {
  const clone = response.clone.bind(response)
  return Object.defineProperties(response, {
    clone: { value: () => checkJson(clone()) },
    json: { value: async () => parseForeignJson(new Uint8Array(await response.arrayBuffer())) },
  })
}

function toResponse({ statusCode = 500, headers }: IncomingMessage, body: Buffer<ArrayBuffer>): Response {
  const received = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const line of [value ?? []].flat()) received.append(name, line)
  }
  const mayHaveBody = statusCode !== 204 && statusCode !== 205 && statusCode !== 304
  return checkJson(new Response(mayHaveBody ? body : null, { status: statusCode, headers: received }))
}
