// Converts a picture from standard input to two PNG files, in a process of its own: see decode-picture.ts.
// The arguments are the sizes of the two in pixels, and of the first in bytes (0: any). Standard output has the length of
// the first in 4 bytes, the first, and the small one; or what is wrong with the picture, as JSON.

import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { inspectPicture } from './picture-container.ts'
import { findingExit } from './picture-exits.ts'
import type { Finding } from './problems.ts'

const [maxSide = 0, smallSide = 0, maxBytes = 0] = process.argv.slice(2).map(Number)
const maxPixels = 40_000_000
const tooLarge = `The picture must have at most ${maxBytes / 1024} KiB as PNG. Use fewer colours or pixels.`

sharp.cache(false)
sharp.concurrency(1)
// No other decoder is reachable, whatever the file pretends to be.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadPngBuffer',
    'VipsForeignLoadJpegBuffer',
    'VipsForeignLoadWebpBuffer',
    'VipsForeignLoadHeifBuffer',
  ],
})

const bytes = await buffer(process.stdin)
const finding = inspectPicture(bytes)
if (finding) fail(finding)
else await convert(bytes).catch(async (error: Error) => fail(await explain(error)))

async function convert(bytes: Buffer) {
  const scaled = sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning' })
    .autoOrient()
    .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
  const isTooLarge = (png: Buffer) => maxBytes > 0 && png.length > maxBytes
  // Drops all metadata, such as the place where a photo was taken.
  let png = await scaled.clone().png().toBuffer()
  if (isTooLarge(png)) png = await scaled.clone().png({ palette: true }).toBuffer()
  if (isTooLarge(png)) return fail({ code: 'picture-too-large', message: tooLarge })
  const small = await sharp(png)
    .resize(smallSide, smallSide, { fit: 'inside', withoutEnlargement: true })
    .png({ palette: true })
    .toBuffer()
  const length = Buffer.alloc(4)
  length.writeUInt32BE(png.length)
  process.stdout.write(Buffer.concat([length, png, small]))
}

/** Returns the reason why a picture cannot be decoded. */
async function explain({ message }: Error): Promise<Finding> {
  if (!/pixel limit/.test(message)) return { code: 'picture-damaged', message: 'The picture is damaged.' }
  // Reads only the header.
  const { width, height } = await sharp(bytes, { limitInputPixels: false }).metadata()
  return {
    code: 'picture-too-many-pixels',
    message: `The picture has ${width} × ${height} pixels, but may have at most 40 million.`,
  }
}

function fail(finding: Finding) {
  process.exitCode = findingExit
  process.stdout.write(JSON.stringify(finding))
}
