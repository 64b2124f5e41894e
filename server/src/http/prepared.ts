import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'

/** A response that was prepared before its request. */
export interface PreparedResponse {
  status: number
  /** All headers but the trace id and those of the connection, each as a name followed by its value. */
  headers: readonly string[]
  body: string
  /** `latin1` is faster, for a body of ASCII characters. */
  encoding: 'latin1' | 'utf8'
  /** The same as it is sent, up to the date. */
  head: string
}

/** Longer than proxies keep an idle connection, so that none sends a request into a closing one. */
export const keepAliveSeconds = 65

/** Prepares a response. */
export function prepareResponse(response: Omit<PreparedResponse, 'head'>): PreparedResponse {
  const { status, headers } = response
  const lines = headers.flatMap((name, index) => (index % 2 === 0 ? [`${name}: ${headers[index + 1]}\r\n`] : []))
  const connection = `Connection: keep-alive\r\nKeep-Alive: timeout=${keepAliveSeconds}\r\n`
  return { ...response, head: `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}${connection}` }
}

/**
 * Sends a prepared response. On a connection that stays open it is written as it is, in one piece: Node would validate
 * and copy each header again. The event `finish` is how a response of Node reports that it was written; the connection
 * then goes on to its next request.
 */
export function sendPrepared(
  { status, headers, body, encoding, head }: PreparedResponse,
  traceId: string,
  { method, httpVersion }: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const hasBody = method !== 'HEAD' && status !== 304
  const { socket, shouldKeepAlive } = outgoing
  if (socket && shouldKeepAlive && httpVersion === '1.1') {
    const text = `${head}Date: ${readDate()}\r\nx-trace-id: ${traceId}\r\n\r\n`
    socket.write(hasBody ? text + body : text, encoding)
    outgoing.emit('finish')
    return
  }
  outgoing.writeHead(status, [...headers, 'x-trace-id', traceId])
  if (hasBody) outgoing.end(body, encoding)
  else outgoing.end()
}

let date = ''
let dateSecond = 0

/** Returns the date for a header, which is formatted once a second. */
function readDate(): string {
  const second = Math.floor(Date.now() / 1000)
  if (second !== dateSecond) {
    dateSecond = second
    date = new Date(second * 1000).toUTCString()
  }
  return date
}
