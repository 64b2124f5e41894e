import { createHash } from 'node:crypto'
import { toPicturePath } from '@passport/contract/brand-values'
import { type BrandPicture, maxBrandPictureBytes } from '@passport/contract/branding'
import type { Sql } from '../database/sql.ts'
import { type DecodedPicture, decodePicture } from '../profile/decode-picture.ts'
import { pictureInvalid } from './problems.ts'
import * as store from './store.ts'

/** In pixels: enough for a logo on a high-density display, and for one in an email. */
const limits = { maxSide: 512, smallSide: 240, maxBytes: maxBrandPictureBytes }

/** A picture that was encoded again, with its hash. */
export interface EncodedPicture extends DecodedPicture {
  hash: string
}

/** Decodes a PNG file and encodes it again, which removes everything but its pixels. Throws 400 for `field`, and 503. */
export async function encodePicture(bytes: Buffer, field: string): Promise<EncodedPicture> {
  if (!bytes.subarray(0, 8).equals(pngSignature)) throw pictureInvalid(field, describeType(bytes))
  if (bytes.length > maxBrandPictureBytes) throw pictureInvalid(field, findings.size)
  const decoded = await decodePicture(bytes, limits)
  if ('code' in decoded) throw pictureInvalid(field, decoded)
  return { ...decoded, hash: hashOf(decoded.content) }
}

/** The beginnings of files in other formats, in Latin 1. */
const formats: [string, RegExp][] = [
  ['an SVG', /^(?:\xef\xbb\xbf)?\s*<(?:svg|\?xml)/i],
  ['a JPEG', /^\xff\xd8\xff/],
  ['a GIF', /^GIF8/],
  ['a WebP', /^RIFF.{4}WEBP/s],
]

function describeType(bytes: Buffer) {
  const start = bytes.toString('latin1', 0, 200)
  const [name] = formats.find(([, pattern]) => pattern.test(start)) ?? []
  const message = `The picture ${name ? `is ${name} file` : 'is no PNG file'}. Export it as PNG.`
  return { code: 'picture-type', message }
}

const findings = {
  size: { code: 'picture-too-large', message: `The picture must have at most ${maxBrandPictureBytes / 1024} KiB.` },
}

/** The first bytes of a PNG file (W3C PNG, section 5.2). */
const pngSignature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Returns the SHA-256 of a file. */
export const hashOf = (content: Uint8Array | string): string => createHash('sha256').update(content).digest('hex')

/** Stores a picture for a branding that will refer to it within an hour. */
export async function storePicture(sql: Sql, picture: EncodedPicture): Promise<BrandPicture> {
  const { hash, content, small, width, height } = picture
  await store.saveFile(sql, { hash, type: 'image/png', content, small, width, height })
  return { hash, url: toPicturePath(hash), width, height, size: content.length }
}
