import { request } from 'node:http'

/** Posts a body as it is. `fetch` would overwrite the fetch metadata of a browser (Sec-Fetch-Mode). */
export async function post(url: string, body: string | FormData, headers: Record<string, string>): Promise<Response> {
  const encoded = new Response(body)
  const bytes = new Uint8Array(await encoded.arrayBuffer())
  const type = encoded.headers.get('content-type') ?? ''
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const sentHeaders = { 'content-type': type, 'content-length': String(bytes.length), ...headers }
  const sent = request(url, { method: 'POST', headers: sentHeaders }, (incoming) => {
    const received = new Headers()
    for (const [name, values = []] of Object.entries(incoming.headersDistinct))
      for (const value of values) received.append(name, value)
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () =>
      resolve(new Response(Buffer.concat(chunks).toString(), { status: incoming.statusCode ?? 0, headers: received })),
    )
  })
  sent.on('error', reject).end(bytes)
  return promise
}
