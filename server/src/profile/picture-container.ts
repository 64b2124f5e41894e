import { crc32, inflateSync } from 'node:zlib'
import type { Finding } from './problems.ts'

// Checks the parts of a picture file around its pixels, which decoders skip. A file that is also an archive or a page
// is rejected here, and so is one whose picture is one of many.

/** The most that compressed metadata may expand to: more than any colour profile has. */
const maxMetadataBytes = 4 * 1024 * 1024

/** Returns what is wrong with the structure of a picture file, which has the signature of one; undefined if nothing is. */
export function inspectPicture(bytes: Buffer): Finding | undefined {
  const type = readType(bytes)
  try {
    return inspectors[type](bytes)
  } catch (error) {
    // A read beyond the end of the file.
    if (error instanceof RangeError) return incomplete(`The ${type} ends too early`)
    throw error
  }
}

const inspectors = { PNG: inspectPng, JPEG: inspectJpeg, WebP: inspectWebP, AVIF: inspectAvif }

function readType(bytes: Buffer): keyof typeof inspectors {
  if (bytes[0] === 0x89) return 'PNG'
  if (bytes[0] === 0xff) return 'JPEG'
  return bytes.toString('latin1', 0, 4) === 'RIFF' ? 'WebP' : 'AVIF'
}

const animated = (type: string): Finding => ({
  code: 'picture-animated',
  message: `The ${type} is animated. Choose a picture with one frame.`,
})
const incomplete = (what: string): Finding => ({
  code: 'picture-incomplete',
  message: `${what}: the file is incomplete.`,
})
const appended = (type: string, count: number): Finding => ({
  code: 'picture-appended',
  message: `The file has ${count} bytes of something else after the ${type}.`,
})
const notA = (type: string): Finding => ({
  code: 'picture-structure',
  message: `The file begins like a ${type}, but does not contain one.`,
})

/** Walks the chunks of a PNG (PNG specification, sections 5.3 and 11). */
function inspectPng(bytes: Buffer): Finding | undefined {
  let start = 8
  let hasPixels = false
  let allowance = maxMetadataBytes
  for (let index = 0; ; index++) {
    const length = bytes.readUInt32BE(start)
    const name = bytes.toString('latin1', start + 4, start + 8)
    const end = start + 12 + length
    if (index === 0 && (name !== 'IHDR' || length !== 13)) return notA('PNG')
    if (end > bytes.length) return incomplete(`The PNG ends within its part ${toWord(name)}`)
    if (crc32(bytes.subarray(start + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      return { code: 'picture-checksum', message: `The part ${toWord(name)} of the PNG does not match its checksum.` }
    if (name === 'acTL') return animated('PNG')
    if (name === 'IDAT') hasPixels = true
    allowance -= measureMetadata(name, bytes.subarray(start + 8, end - 4), allowance)
    if (allowance < 0)
      return { code: 'picture-metadata', message: 'The compressed metadata of the PNG expands to more than 4 MiB.' }
    if (name === 'IEND') {
      if (!hasPixels) return notA('PNG')
      return end < bytes.length ? appended('PNG', bytes.length - end) : undefined
    }
    start = end
  }
}

/** Returns the size of a compressed metadata chunk when it is expanded; one more than `limit` if it is larger. */
function measureMetadata(name: string, content: Buffer, limit: number): number {
  const keyword = content.indexOf(0)
  const isCompressed = name === 'zTXt' || name === 'iCCP' || (name === 'iTXt' && content[keyword + 1] === 1)
  if (!isCompressed || keyword < 0) return 0
  // The keyword is followed by the method; in iTXt also by a flag, a language and a translated keyword.
  const start = name === 'iTXt' ? content.indexOf(0, content.indexOf(0, keyword + 3) + 1) + 1 : keyword + 2
  try {
    return inflateSync(content.subarray(start), { maxOutputLength: Math.max(1, limit) }).length
  } catch (error) {
    // Other errors are the decoder's to judge.
    return (error as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE' ? limit + 1 : 0
  }
}

/**
 * Walks the segments of a JPEG (ITU-T T.81, annex B). Cameras append further pictures, films and data of their own to a
 * JPEG, so only what a web browser or an archiver would open is rejected there.
 */
function inspectJpeg(bytes: Buffer): Finding | undefined {
  let start = 2
  for (;;) {
    if (bytes.readUInt8(start) !== 0xff) return notA('JPEG')
    const marker = bytes.readUInt8(start + 1)
    // Markers may be preceded by any number of 0xff.
    if (marker === 0xff) {
      start++
      continue
    }
    if (marker < 0xc0 && marker !== 0x01) return notA('JPEG')
    if (marker === 0xd9) break
    const hasLength = marker !== 0x01 && !(marker >= 0xd0 && marker <= 0xd8)
    start += 2 + (hasLength ? bytes.readUInt16BE(start + 2) : 0)
    if (marker === 0xda) start = findMarker(bytes, start)
  }
  const rest = bytes.subarray(start + 2)
  const isOther = rest.includes('PK\x05\x06') || /^\s*(?:<|%PDF|#!|MZ)/.test(rest.toString('latin1', 0, 64))
  return isOther ? appended('JPEG', rest.length) : undefined
}

/** Returns the position of the next marker after the data of a scan, in which a zero follows each 0xff. */
function findMarker(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes.readUInt8(at + 1)
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  throw new RangeError('no marker after the scan')
}

/** Walks the chunks of a WebP file (RFC 9649, section 2.3). */
function inspectWebP(bytes: Buffer): Finding | undefined {
  const end = 8 + bytes.readUInt32LE(4)
  if (end > bytes.length) return incomplete(`The WebP declares ${end} bytes and has ${bytes.length}`)
  if (!/^VP8[ LX]$/.test(bytes.toString('latin1', 12, 16))) return notA('WebP')
  for (let start = 12; start + 8 <= end; ) {
    if (/^AN(?:IM|MF)$/.test(bytes.toString('latin1', start, start + 4))) return animated('WebP')
    const length = bytes.readUInt32LE(start + 4)
    start += 8 + length + (length % 2)
    if (start > end + 1) return incomplete('The WebP ends within a part')
  }
  // The last chunk is padded to an even length, which some writers do not count.
  return bytes.length > end + 1 ? appended('WebP', bytes.length - end) : undefined
}

/** Walks the boxes of an AVIF file (ISO/IEC 14496-12, section 4.2). */
function inspectAvif(bytes: Buffer): Finding | undefined {
  if (bytes.toString('latin1', 8, 12) === 'avis') return animated('AVIF')
  for (let start = 0; start < bytes.length; ) {
    const size = bytes.readUInt32BE(start)
    const isBox = /^(?:ftyp|meta|mdat|moov|free|skip|uuid|wide)$/.test(bytes.toString('latin1', start + 4, start + 8))
    if (!isBox) return appended('AVIF', bytes.length - start)
    // 0 is the rest of the file, and 1 a length of 64 bits.
    const length = size === 0 ? bytes.length - start : size === 1 ? Number(bytes.readBigUInt64BE(start + 8)) : size
    if (length < 8) return notA('AVIF')
    start += length
    if (start > bytes.length) return incomplete('The AVIF ends within a part')
  }
  return undefined
}

/** Returns the name of a chunk, which may have any bytes. */
const toWord = (name: string) => (/^[A-Za-z]{4}$/.test(name) ? name : 'of an unknown kind')
