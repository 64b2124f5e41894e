import type { IncomingMessage } from 'node:http'
import type { StoredFile } from '@passport/contract/endpoint'
import { rangeNotSatisfiable } from './problems.ts'
import type { ResponseParts } from './respond.ts'

/** A range of bytes, from `start` to before `end`. */
interface ByteRange {
  start: number
  end: number
}

/**
 * Creates the response of a file: whole, or the requested range of it (RFC 9110, section 14). For HEAD it has the
 * headers of GET and no body. Throws 416.
 */
export function toStoredFileResponse(
  file: StoredFile,
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
): ResponseParts {
  const { type, size, etag } = file
  const isCurrent = headers['if-range'] === undefined || headers['if-range'] === `"${etag}"`
  const range = isCurrent ? parseRange(headers.range, size) : undefined
  const { start, end } = range ?? { start: 0, end: size }
  return {
    status: range ? 206 : 200,
    headers: {
      'Content-Type': type,
      'Content-Length': String(end - start),
      'Accept-Ranges': 'bytes',
      ETag: `"${etag}"`,
      ...(range && { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
    },
    body:
      method === 'HEAD'
        ? null
        : (ReadableStream.from(file.read(start, end)) as ReadableStream<Uint8Array<ArrayBuffer>>),
  }
}

/**
 * Parses a Range header. Returns undefined, which means the whole file, for none, several ranges, and invalid ones.
 * Throws 416 for a range that starts after the end, and for any range of an empty file.
 */
export function parseRange(header: string | undefined, size: number): ByteRange | undefined {
  const [, first, last] = /^bytes=(?=\d|-\d)(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined) return undefined
  if (first === '') {
    if (size === 0 || Number(last) === 0) throw rangeNotSatisfiable(size)
    return { start: Math.max(0, size - Number(last)), end: size }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= size) throw rangeNotSatisfiable(size)
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}
