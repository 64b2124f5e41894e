import { setImmediate } from 'node:timers/promises'
import type { TextDecoder } from 'node:util'

/** This many bytes are scanned or decoded in at most 20 ms, in any encoding. */
export const bytesInOneTurn = 1024 * 1024

/** Decodes bytes of any size, and lets the event loop run in between. Throws the `TypeError` of a strict decoder. */
export async function decodeInTurns(bytes: Uint8Array, decoder: TextDecoder): Promise<string> {
  let text = ''
  for (let index = 0; index < bytes.length; index += bytesInOneTurn) {
    if (index > 0) await setImmediate()
    text += decoder.decode(bytes.subarray(index, index + bytesInOneTurn), { stream: true })
  }
  return text + decoder.decode()
}
