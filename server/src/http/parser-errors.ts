import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Log } from '../log.ts'
import type { CompletedRequest } from './activity.ts'
import { type BareRequest, type CreateBareResponse, formatBareResponse } from './bare-responses.ts'
import type { PipelineLimiter } from './pipelining.ts'
import type { Problem } from './problem.ts'
import { headersTooLarge, malformedRequest, requestTimeout, tooLarge } from './problems.ts'
import { toLogFields } from './report.ts'
import { createSampledLog } from './sampled-log.ts'
import type { RequestIds } from './visit.ts'

/** A request that Node could not parse, with the reason. */
interface UnparsedRequest extends RequestIds {
  status: number
  code: string
  /** The code of Node or of its parser. */
  reason: string
  /** The peer, which may be a proxy. */
  ip: string | undefined
}

/** Records a request that the application does not get. */
export type RecordUnparsed = (request: UnparsedRequest) => void

/** Creates the function that counts and logs requests which could not be parsed. */
export function createUnparsedRecorder(log: Log, count: (request: CompletedRequest) => void): RecordUnparsed {
  const warn = createSampledLog(log, 'request-not-parsed', 10)
  return ({ status, code, reason, ip, ...ids }) => {
    count({ method: 'other', route: 'none', status, code, seconds: 0, isStream: false })
    warn({ status, code, reason, ip, ...toLogFields(ids) })
  }
}

interface ParserError extends Error {
  code?: string
  /** The bytes in which the parser found the error. */
  rawPacket?: Buffer
}

const problems: Record<string, () => Problem> = {
  ERR_HTTP_REQUEST_TIMEOUT: requestTimeout,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: () => tooLarge('The extensions of a chunk must have at most 16 KB.'),
  HPE_HEADER_OVERFLOW: headersTooLarge,
}

/** The time for earlier requests of the connection. */
const maxPendingMs = 5_000
/** The time in which a client may read the response: a connection with unread bytes is reset, with what is on its way. */
const lingerMs = 1_000

interface Dependencies {
  respond: CreateBareResponse
  afterPending: PipelineLimiter['afterPending']
  record: RecordUnparsed
}

/**
 * Creates the handler of errors that end a connection. The client gets a response, unless it has sent nothing: pools of
 * clients open connections in advance, and would take the response for that of a request which they are about to send.
 */
export function createParserErrorHandler({ respond, afterPending, record }: Dependencies) {
  const ended = new WeakSet<Socket>()
  return (error: ParserError, socket: HttpSocket): void => {
    // The parser fails again for whatever else arrives.
    if (ended.has(socket)) return
    ended.add(socket)
    const pending = socket._httpMessage
    if (!socket.writable || socket.bytesRead === 0 || pending?.headersSent) {
      socket.destroy(error)
      return
    }
    destroyAfter(socket, maxPendingMs)
    const end = () => {
      const problem = problems[error.code ?? '']?.() ?? malformedRequest('The request is not valid HTTP.')
      const { ids, ...response } = respond(problem, describeRequest(error))
      endConnection(socket, formatBareResponse(response))
      const { status, code } = problem
      record({ status, code, reason: error.code ?? error.message, ip: socket.remoteAddress, ...ids })
    }
    // Otherwise the error is in a further request, and the response would be taken for that to the earlier one.
    if (pending && !pending.req.complete) end()
    else afterPending(socket, end)
  }
}

/** Sends the last response of a connection, and closes it when the client has read it. */
export function endConnection(socket: Socket, response: string): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  socket.end(response)
  destroyAfter(socket, lingerMs)
}

function destroyAfter(socket: Socket, ms: number) {
  const timer = setTimeout(() => socket.destroy(), ms).unref()
  socket.once('close', () => clearTimeout(timer))
}

/**
 * Describes a request by the bytes in which the error is. They may not have its Accept header; then only browsers send
 * so many cookies.
 */
function describeRequest({ code, rawPacket }: ParserError): BareRequest {
  const accept = /^accept:(.*)$/im.exec(rawPacket?.toString('latin1') ?? '')?.[1]
  return { isPage: accept === undefined ? code === 'HPE_HEADER_OVERFLOW' : /\btext\/html\b/.test(accept) }
}

/** A connection with the response that it is sending, or waits for: an internal property of Node. */
interface HttpSocket extends Socket {
  _httpMessage?: (ServerResponse & { req: IncomingMessage }) | null
}
