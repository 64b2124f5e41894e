import type { IncomingMessage } from 'node:http'
import { Problem } from './problem.ts'

/** Less than a request buffers by itself: it arrives whole without being read. */
const maxBytes = 16 * 1024

/**
 * Takes the body of a request when all of it is there, whether its length was told or not. The stream has not ended
 * then: what is given back by `unshift` is read by whoever comes next. Throws 413, and 400 where the client leaves.
 */
export async function takeBody(incoming: IncomingMessage): Promise<Buffer> {
  const { headers } = incoming
  const isEmpty = headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)
  if (!isEmpty) await untilThere(incoming)
  const length = incoming.readableLength
  if (length >= maxBytes) throw new Problem(413, 'too-large', `A form has less than ${maxBytes} bytes.`)
  // Exactly so many: asking for more would end the stream.
  return length > 0 ? incoming.read(length) : Buffer.alloc(0)
}

/** A body that is being read by the framework, of which all fails that can when the client leaves. Throws 400 then. */
export const wholeOf = <T>(body: Promise<T>): Promise<T> =>
  body.catch((cause) => {
    throw incomplete(cause)
  })

const incomplete = (cause?: unknown) =>
  new Problem(400, 'body-incomplete', 'The body ended before it was whole.', { cause })

async function untilThere(incoming: IncomingMessage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = () => {
    if (incoming.complete || incoming.readableLength >= maxBytes) resolve()
  }
  const leave = () => reject(incomplete())
  incoming.on('readable', look).on('error', leave).on('close', leave)
  look()
  await promise.finally(() => incoming.off('readable', look).off('error', leave).off('close', leave))
}
