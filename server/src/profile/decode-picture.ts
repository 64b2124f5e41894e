import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findingExit } from './picture-exits.ts'
import type { Finding } from './problems.ts'
import { createQueue } from './work-queue.ts'

/** The sizes to which a picture is scaled down: of its longer side in pixels, and of the PNG file in bytes. */
interface PictureLimits {
  maxSide: number
  smallSide: number
  maxBytes?: number
}

/** A picture as PNG, without metadata, and a small variant. */
export interface DecodedPicture {
  content: Buffer<ArrayBuffer>
  small: Buffer<ArrayBuffer>
  /** Of `content`, in pixels. */
  width: number
  height: number
}

const costly: Finding = {
  code: 'picture-too-costly',
  message: 'The picture takes too much time or memory to decode.',
}

const timeoutMs = 10_000
/** An AVIF picture of 40 million pixels needs 2.5 GB of address space, and 0.8 GB of memory. */
const addressSpaceKib = 3 * 1024 * 1024
const maxWaiting = 8

const enqueue = createQueue(maxWaiting)

/**
 * Decodes a picture and encodes it again, after those that wait already. Each is decoded in a process of its own, whose
 * time and memory are limited: decoders are native code, which the limits of a worker thread do not bind. Returns what is
 * wrong with a picture. Throws 503.
 */
export const decodePicture = (bytes: Uint8Array, limits: PictureLimits): Promise<DecodedPicture | Finding> =>
  enqueue(() => runChild(bytes, limits))

async function runChild(
  bytes: Uint8Array,
  { maxSide, smallSide, maxBytes = 0 }: PictureLimits,
): Promise<DecodedPicture | Finding> {
  const script = fileURLToPath(new URL('./picture-child.ts', import.meta.url))
  const limits = `ulimit -v ${addressSpaceKib} 2>/dev/null; ulimit -t ${timeoutMs / 1000}; exec "$@"`
  const sizes = [maxSide, smallSide, maxBytes].map(String)
  const child = spawn('/bin/sh', ['-c', limits, 'sh', process.execPath, '--max-old-space-size=64', script, ...sizes], {
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  })
  // The process may end before it has read everything.
  child.stdin.on('error', () => {})
  child.stdin.end(bytes)
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const [output, code] = await Promise.all([buffer(child.stdout), ended])
  if (code === 0 && output.length > 0) {
    const end = 4 + output.readUInt32BE()
    const content = output.subarray(4, end)
    // The header of a PNG file has its width and height (W3C PNG, section 11.2.1).
    const [width, height] = [content.readUInt32BE(16), content.readUInt32BE(20)]
    return { content, small: output.subarray(end), width, height } as DecodedPicture
  }
  return code === findingExit ? JSON.parse(String(output)) : costly
}
