import { spawn } from 'node:child_process'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { findingExit } from './picture-exits.ts'
import { avatarInvalid, type Finding } from './problems.ts'
import { createQueue } from './work-queue.ts'

/** A picture as PNG: at most 1024 × 1024 pixels, and small for lists. */
export interface Picture {
  content: Buffer<ArrayBuffer>
  small: Buffer<ArrayBuffer>
}

/** Converts an uploaded picture. Throws 400 and 503. */
export type ConvertPicture = (bytes: Uint8Array) => Promise<Picture>

const timeoutMs = 10_000
/** An AVIF picture of 40 million pixels needs 2.5 GB of address space, and 0.8 GB of memory. */
const addressSpaceKib = 3 * 1024 * 1024
const maxWaiting = 8

const findings = {
  type: { code: 'picture-type', message: 'The picture must be a PNG, JPEG, WebP or AVIF file.' },
  svg: { code: 'picture-svg', message: 'An SVG can contain scripts. Export it as PNG.' },
  costly: { code: 'picture-too-costly', message: 'The picture takes too much time or memory to decode.' },
} satisfies Record<string, Finding>

/**
 * Creates a converter. Each picture is decoded in a process of its own, whose time and memory are limited: decoders are
 * native code, which the limits of a worker thread do not bind.
 */
export function createPictureConverter(): ConvertPicture {
  const enqueue = createQueue(maxWaiting)
  return async (bytes) => {
    const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1')
    if (!isPicture(start)) throw avatarInvalid('png', [/<svg|<\?xml/.test(start) ? findings.svg : findings.type])
    return enqueue(() => runChild(bytes))
  }
}

async function runChild(bytes: Uint8Array): Promise<Picture> {
  const script = fileURLToPath(new URL('./picture-child.ts', import.meta.url))
  const limits = `ulimit -v ${addressSpaceKib} 2>/dev/null; ulimit -t ${timeoutMs / 1000}; exec "$@"`
  const child = spawn('/bin/sh', ['-c', limits, 'sh', process.execPath, '--max-old-space-size=64', script], {
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
    return { content: output.subarray(4, end), small: output.subarray(end) } as Picture
  }
  throw avatarInvalid('png', [code === findingExit ? JSON.parse(String(output)) : findings.costly])
}

/** Reports whether a file begins like one of the accepted types. */
function isPicture(start: string): boolean {
  return (
    start.startsWith('\x89PNG\r\n\x1a\n') ||
    start.startsWith('\xff\xd8\xff') ||
    /^RIFF.{4}WEBP/s.test(start) ||
    /^.{4}ftypavi[fs]/s.test(start)
  )
}
