import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// A client may send requests before it has the responses to earlier ones (RFC 9112, section 9.3.2). Node reads 64 KB at
// once and hands over all requests in them, a thousand or more, before other connections have their turn.

type HandleRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => unknown

export interface PipelineLimits {
  /** The requests of one connection in progress, and those that it may begin in one turn of the event loop. */
  maxInProgress: number
  /** The requests of all connections that have been read and wait. One more closes its connection. */
  maxWaiting: number
}

const defaultLimits: PipelineLimits = { maxInProgress: 8, maxWaiting: 10_000 }

/** A connection with requests that wait. */
interface Pipeline {
  socket: Socket
  /** The response to the last request that was read. */
  latest: ServerResponse
  inProgress: number
  waiting: { incoming: IncomingMessage; outgoing: ServerResponse }[]
  /** Called once all requests are complete. */
  onIdle?: () => void
  /** Ends the pipeline when all requests are complete or the connection is closed. */
  close: () => void
}

export interface PipelineLimiter {
  handle: HandleRequest
  /** Makes each request wait until all that arrived with it are read, so that the last one is known. */
  drain: () => void
  /** Reports whether no further request of the connection was read. */
  isLast: (outgoing: ServerResponse) => boolean
  /** Calls a function once all requests of a connection have their responses; not if the connection is closed first. */
  afterPending: (socket: Socket, proceed: () => void) => void
}

/** Limits the requests of each connection that `handle` gets at once. The others wait, and no more are read then. */
export function limitPipelining(
  handle: HandleRequest,
  { maxInProgress, maxWaiting }: PipelineLimits = defaultLimits,
): PipelineLimiter {
  const pipelines = new Map<Socket, Pipeline>()
  /** The pipelines whose next request may begin, one after the other. */
  const ready = new Set<Pipeline>()
  let isDraining = false
  let isTurnScheduled = false
  let waitingCount = 0
  // The latest connection, and its requests since those of another one.
  let latest: Socket | undefined
  let streak = 0

  function handleInTurn(incoming: IncomingMessage, outgoing: ServerResponse): unknown {
    const { socket } = incoming
    if (socket !== latest) {
      latest = socket
      streak = 0
    }
    // A response gets its connection once the earlier ones are complete.
    if (!isDraining && outgoing.socket !== null && ++streak <= maxInProgress) return handle(incoming, outgoing)
    streak = 0
    return wait(socket, incoming, outgoing)
  }

  function wait(socket: Socket, incoming: IncomingMessage, outgoing: ServerResponse) {
    if (socket.destroyed) return
    if (waitingCount >= maxWaiting) {
      socket.destroy()
      return
    }
    const pipeline = pipelines.get(socket) ?? openPipeline(socket, outgoing)
    pipeline.latest = outgoing
    pipeline.waiting.push({ incoming, outgoing })
    waitingCount++
    // One that begins in this turn waits for nothing.
    if (pipeline.waiting.length > 1 || pipeline.inProgress >= maxInProgress) socket.pause()
    schedule(pipeline)
  }

  function openPipeline(socket: Socket, outgoing: ServerResponse): Pipeline {
    // Node reads on when it wants the body of a request, or after a part of a response.
    const keepPaused = () => {
      if (pipeline.waiting.length > 0) socket.pause()
    }
    const close = () => {
      waitingCount -= pipeline.waiting.length
      pipeline.waiting = []
      ready.delete(pipeline)
      pipelines.delete(socket)
      socket.off('resume', keepPaused).off('close', close)
    }
    const pipeline: Pipeline = { socket, latest: outgoing, inProgress: 0, waiting: [], close }
    pipelines.set(socket, pipeline)
    socket.on('resume', keepPaused).on('close', close)
    const earlier = findPending(socket)
    if (earlier && earlier !== outgoing) followResponse(pipeline, earlier)
    return pipeline
  }

  function followResponse(pipeline: Pipeline, outgoing: ServerResponse) {
    pipeline.inProgress++
    outgoing.once('close', () => {
      pipeline.inProgress--
      if (pipeline.waiting.length > 0) schedule(pipeline)
      else if (pipeline.inProgress === 0 && pipelines.get(pipeline.socket) === pipeline) {
        pipeline.close()
        pipeline.onIdle?.()
      }
    })
  }

  function schedule(pipeline: Pipeline) {
    if (pipeline.waiting.length === 0 || pipeline.inProgress >= maxInProgress) return
    ready.add(pipeline)
    scheduleTurn()
  }

  function scheduleTurn() {
    if (isTurnScheduled || ready.size === 0) return
    isTurnScheduled = true
    setImmediate(beginNext)
  }

  /** Begins one waiting request. The next one begins after all that has arrived on other connections. */
  function beginNext() {
    isTurnScheduled = false
    const [pipeline] = ready
    if (!pipeline) return
    ready.delete(pipeline)
    scheduleTurn()
    const next = pipeline.waiting.shift()
    if (!next) return
    waitingCount--
    if (pipeline.waiting.length === 0 && pipeline.socket.isPaused()) pipeline.socket.resume()
    followResponse(pipeline, next.outgoing)
    schedule(pipeline)
    handle(next.incoming, next.outgoing)
  }

  return {
    handle: handleInTurn,
    drain: () => {
      isDraining = true
    },
    isLast: (outgoing) => (pipelines.get(outgoing.req.socket)?.latest ?? outgoing) === outgoing,
    afterPending: (socket, proceed) => {
      const pipeline = pipelines.get(socket)
      if (pipeline) pipeline.onIdle = proceed
      else if (findPending(socket)) findPending(socket)?.once('close', proceed)
      else proceed()
    },
  }
}

/** Returns the response that a connection is sending, or waits for; an internal property of Node. */
const findPending = (socket: Socket): ServerResponse | null =>
  (socket as Socket & { _httpMessage: ServerResponse | null })._httpMessage
