import type { IncomingMessage } from 'node:http'
import { bodyIncomplete, tooLarge } from './problems.ts'

/** Less than Node buffers of an unread request, so that the whole body arrives. */
const maxBytes = 16 * 1024

/**
 * Takes the whole body of a request from its buffer, with or without a Content-Length. The stream does not end: after
 * `unshift` the data can be read again. Throws 413, and 400 if the client disconnects.
 */
export async function readBufferedBody(incoming: IncomingMessage): Promise<Buffer> {
  const { headers } = incoming
  const isEmpty = headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)
  if (!isEmpty) await waitForBody(incoming)
  const length = incoming.readableLength
  if (length >= maxBytes) throw tooLarge(`A form must have fewer than ${maxBytes} bytes.`)
  // To read more than the buffered bytes would end the stream.
  return length > 0 ? incoming.read(length) : Buffer.alloc(0)
}

/** Converts the error of a body read by the framework to 400: only the disconnection of the client causes one. */
export const rejectIncomplete = <T>(body: Promise<T>): Promise<T> =>
  body.catch((cause) => {
    throw bodyIncomplete(cause)
  })

async function waitForBody(incoming: IncomingMessage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const check = () => {
    if (incoming.complete || incoming.readableLength >= maxBytes) resolve()
  }
  const fail = () => reject(bodyIncomplete())
  incoming.on('readable', check).on('error', fail).on('close', fail)
  check()
  await promise.finally(() => incoming.off('readable', check).off('error', fail).off('close', fail))
}
