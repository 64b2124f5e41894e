import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { CompletedRequest } from './activity.ts'
import type { RecordCompletion } from './completion.ts'
import type { HttpContext } from './http-context.ts'
import type { Visit } from './visit.ts'

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

const countMs = 1000

/** Records a prepared response that was sent to a request for its path. */
export type RecordPrepared = (response: PreparedResponse, path: string, incoming: IncomingMessage, visit: Visit) => void

/**
 * Creates the recorder of prepared responses. Those to GET are counted together, once a second, because to count one takes
 * as long as to send it.
 */
export function createPreparedRecorder(
  { log }: Pick<HttpContext, 'log'>,
  recordCompletion: RecordCompletion,
  countRequest: (request: CompletedRequest) => void,
): RecordPrepared {
  const sent = new Map<PreparedResponse, CompletedRequest & { count: number }>()

  function countSent() {
    for (const request of sent.values()) countRequest(request)
    sent.clear()
  }

  return (response, path, incoming, visit) => {
    const { status } = response
    // A prepared response takes microseconds, which are not measured.
    const completion = { route: path, status, code: undefined, seconds: 0, isStream: false }
    if (incoming.method !== 'GET' || log.isLevelEnabled('debug'))
      return recordCompletion(incoming, visit, path, completion)
    const counted = sent.get(response)
    if (counted) counted.count++
    else {
      if (sent.size === 0) setTimeout(countSent, countMs).unref()
      sent.set(response, { method: 'GET', ...completion, count: 1 })
    }
  }
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
