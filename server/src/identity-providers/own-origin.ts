import { request } from 'node:http'
import type { CustomFetch } from 'openid-client'

/**
 * Fetches addresses of our own public origin from this process itself, where a server behind a proxy may not be able to
 * reach its own public name; all other addresses as usual.
 */
export function fetchFromOurselves(publicUrl: string, ownAddress: string): CustomFetch {
  return (address, options) => {
    const url = new URL(address)
    if (url.origin !== publicUrl) return fetch(address, options as RequestInit)
    return send(new URL(url.pathname + url.search, ownAddress), url.host, options)
  }
}

/** `fetch` would not let us say which host we ask for. */
function send(
  target: URL,
  host: string,
  { method, headers, body, signal }: Parameters<CustomFetch>[1],
): Promise<Response> {
  const text = body === null || body === undefined ? '' : String(body)
  return new Promise((resolve, reject) => {
    const length = text ? { 'content-length': Buffer.byteLength(text) } : {}
    const outgoing = request(
      target,
      { method, headers: { ...headers, ...length, host }, ...(signal && { signal }) },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () => {
          const received = Object.entries(incoming.headers).map(
            ([name, value]) => [name, String(value)] as [string, string],
          )
          const status = incoming.statusCode ?? 500
          const hasBody = status !== 204 && status !== 304
          resolve(new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers: received }))
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(text)
  })
}
