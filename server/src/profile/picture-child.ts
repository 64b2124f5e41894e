// Converts a picture from standard input to two PNG files, in a process of its own: see picture.ts. Standard output has
// the length of the first in 4 bytes, the first, and the small one; or what is wrong with the picture, as JSON.

import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { inspectPicture } from './picture-container.ts'
import { findingExit } from './picture-exits.ts'
import type { Finding } from './problems.ts'

/** In pixels: enough for a head on a high-density display. */
const maxSide = 1024
/** In pixels: as the URL of the small picture says. */
const smallSide = 96
const maxPixels = 40_000_000

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
  const png = await sharp(bytes, { limitInputPixels: maxPixels, failOn: 'warning' })
    .autoOrient()
    .resize(maxSide, maxSide, { fit: 'inside', withoutEnlargement: true })
    // Drops all metadata, such as the place where a photo was taken.
    .png()
    .toBuffer()
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
