// Converts a picture from standard input to two PNG files, in a process of its own: see picture.ts. Standard output has
// the length of the first in 4 bytes, the first, and the small one.

import { buffer } from 'node:stream/consumers'
import sharp from 'sharp'
import { pictureExits } from './picture-exits.ts'

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

try {
  const png = await sharp(await buffer(process.stdin), { limitInputPixels: maxPixels, failOn: 'warning' })
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
} catch (error) {
  process.exitCode = /pixel limit/.test((error as Error).message) ? pictureExits.tooManyPixels : pictureExits.invalid
}
