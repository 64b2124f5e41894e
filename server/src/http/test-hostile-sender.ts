import { request } from 'node:http'
import { parentPort } from 'node:worker_threads'

/** A request to send from another thread, so that the cost of the client is not measured. */
export interface TrialRequest {
  url: string
  method: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

export interface TrialResponse {
  status: number
  bytes: number
  /** The beginning of the response. */
  text: string
}

parentPort?.on('message', ({ url, method, headers, body }: TrialRequest) => {
  const finish = (response: TrialResponse) => parentPort?.postMessage(response)
  const outgoing = request(url, { method, headers: { ...headers, 'content-length': body.byteLength } }, (response) => {
    let text = ''
    let bytes = 0
    response.on('data', (part: Buffer) => {
      bytes += part.length
      if (text.length < 300) text += part.toString('utf8').slice(0, 300)
    })
    response.on('end', () => finish({ status: response.statusCode ?? 0, bytes, text }))
  })
  outgoing.on('error', (error) => finish({ status: 0, bytes: 0, text: error.message }))
  outgoing.end(body)
})
