import fc from 'fast-check'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import { inspectPicture } from './picture-container.ts'

const signatures = ['\x89PNG\r\n\x1a\n', '\xff\xd8\xff', 'RIFF\x40\0\0\0WEBP', '\0\0\0\x18ftypavif'].map((text) =>
  Buffer.from(text, 'latin1'),
)
const pictures = await Promise.all(
  (['png', 'jpeg', 'webp', 'avif'] as const).map((type) =>
    sharp({ create: { width: 9, height: 9, channels: 4, background: 'olive' } })
      .withExif({ IFD0: { Copyright: 'Eve' } })
      .toFormat(type)
      .toBuffer(),
  ),
)

it('finds nothing in pictures of every type', () => {
  expect(pictures.map(inspectPicture)).toEqual([undefined, undefined, undefined, undefined])
})

it('returns a finding or nothing for any bytes behind a signature, and for any change of a picture', () => {
  const random = fc.tuple(fc.constantFrom(...signatures), fc.uint8Array({ maxLength: 200 }))
  const changes = fc.array(fc.tuple(fc.nat(600), fc.nat(255)), { maxLength: 5 })
  const isFinding = (bytes: Buffer) => {
    const finding = inspectPicture(bytes)
    if (!finding) return
    expect(finding.code).toMatch(/^picture-/)
    expect(finding.message).toMatch(/^[\x20-\x7e]{1,150}$/)
  }
  fc.assert(fc.property(random, ([signature, rest]) => isFinding(Buffer.concat([signature, rest]))))
  fc.assert(
    fc.property(fc.constantFrom(...pictures), changes, fc.nat(600), (picture, bytes, length) => {
      const changed = Buffer.from(picture.subarray(0, Math.max(12, length)))
      for (const [at, value] of bytes) if (at > 11 && at < changed.length) changed[at] = value
      isFinding(changed)
    }),
  )
})
