import { decodePicture } from './decode-picture.ts'
import { avatarInvalid, type Finding } from './problems.ts'

/** A picture as PNG: at most 1024 × 1024 pixels, and small for lists. */
export interface Picture {
  content: Buffer<ArrayBuffer>
  small: Buffer<ArrayBuffer>
}

/** Converts an uploaded picture. Throws 400 and 503. */
export type ConvertPicture = (bytes: Uint8Array) => Promise<Picture>

/** In pixels: enough for a head on a high-density display, and what the URL of the small picture says. */
const limits = { maxSide: 1024, smallSide: 96 }

const findings = {
  type: { code: 'picture-type', message: 'The picture must be a PNG, JPEG, WebP or AVIF file.' },
  svg: { code: 'picture-svg', message: 'An SVG can contain scripts. Export it as PNG.' },
} satisfies Record<string, Finding>

/** Converts a picture of one of the accepted types. */
export const convertPicture: ConvertPicture = async (bytes) => {
  const start = Buffer.from(bytes.subarray(0, 256)).toString('latin1')
  if (!isPicture(start)) throw avatarInvalid('png', [isSvg(start) ? findings.svg : findings.type])
  const decoded = await decodePicture(bytes, limits)
  if ('code' in decoded) throw avatarInvalid('png', [decoded])
  return decoded
}

const isSvg = (start: string) => /<svg|<\?xml/.test(start)

/** Reports whether a file begins like one of the accepted types. */
function isPicture(start: string): boolean {
  return (
    start.startsWith('\x89PNG\r\n\x1a\n') ||
    start.startsWith('\xff\xd8\xff') ||
    /^RIFF.{4}WEBP/s.test(start) ||
    /^.{4}ftypavi[fs]/s.test(start)
  )
}
