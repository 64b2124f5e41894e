import { crc32 } from 'node:zlib'
import * as api from '@passport/contract/branding'
import sharp from 'sharp'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { createHostilePictures } from '../profile/test-hostile-files.ts'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

const hostile = await createHostilePictures()
const [png, jpeg] = await Promise.all(
  (['png', 'jpeg'] as const).map((type) =>
    sharp({ create: { width: 60, height: 20, channels: 3, background: 'red' } })
      .toFormat(type)
      .toBuffer(),
  ),
)
if (!png || !jpeg) throw new Error('no pictures')
const script = '<script>alert(document.domain)</script>'

let service: TestService
let ada: Visitor

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
})
beforeEach(async () => {
  await service.sql`delete from rate_limits`
})

const send = (bytes: Uint8Array, type = 'image/png') =>
  ada.fetch('/passport/admin/branding/pictures', {
    method: 'POST',
    headers: { 'content-type': type },
    body: new Uint8Array(bytes),
  })
const countFiles = async () => (await service.sql`select from branding_files`).count

test.for([
  ...Object.entries(hostile).map(([name, { bytes }]): [string, Buffer] => [name, bytes]),
  ['a JPEG', jpeg],
  ['a page', Buffer.from(`<!doctype html>${script}`)],
  ['an SVG with a script', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${script}</svg>`)],
  ['an icon', Buffer.from('\0\0\u0001\0\u0001\0')],
  ['a PNG that is also a page', Buffer.concat([png, Buffer.from(script)])],
  ['a PNG that is also an archive', Buffer.concat([png, Buffer.from('PK\u0003\u0004')])],
  ['nothing', Buffer.alloc(0)],
  ['random bytes', Buffer.from('0123456789abcdef'.repeat(64), 'hex')],
] satisfies [string, Buffer][])('refuses %s, and stores nothing', async ([, bytes]) => {
  const response = await send(bytes)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ code: expect.stringMatching(/^(?:brand-picture-invalid|invalid)/) })
  expect(await countFiles()).toBe(0)
})

test.for([
  ['an SVG', Buffer.from('\ufeff<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>')],
  ['a JPEG', jpeg],
  ['a GIF', Buffer.from('GIF89a')],
  ['a WebP', Buffer.from('RIFF\0\0\0\0WEBPVP8 ')],
] satisfies [string, Buffer][])('says what to do with %s', async ([name, bytes]) => {
  const detail = `The picture is ${name} file. Export it as PNG.`
  expect(await (await send(bytes)).json()).toMatchObject({
    detail,
    errors: [{ field: 'picture', code: 'picture-type' }],
  })
})

test.for(['image/svg+xml', 'image/jpeg', 'text/html', 'application/octet-stream'])('refuses %s', async (type) => {
  const response = await send(png, type)
  const advice = type.startsWith('image/') ? ' Export the picture as PNG.' : ''
  expect(await response.json()).toMatchObject({
    status: 415,
    detail: `The Content-Type must be multipart/form-data or image/png, but it is ${type}.${advice}`,
  })
})

/** Adds a chunk of text behind the header of a PNG (W3C PNG, section 11.3.3.2). */
function addTextChunk(text: string): Buffer {
  const named = Buffer.from(`tEXtComment\0${text}`, 'latin1')
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(named.length - 4)
  sum.writeUInt32BE(crc32(named))
  const header = png?.subarray(0, 33) ?? Buffer.alloc(0)
  return Buffer.concat([header, length, named, sum, png?.subarray(33) ?? Buffer.alloc(0)])
}

test('keeps only the pixels of a picture with a script in its metadata', async () => {
  const bytes = addTextChunk(script)
  expect(bytes.includes(script)).toBe(true)
  const stored = (await (await send(bytes)).json()) as api.BrandPicture
  const served = await fetch(`${service.url}${stored.url}`)
  const content = Buffer.from(await served.arrayBuffer())
  expect(content.includes('script')).toBe(false)
  expect(content.length).toBe(stored.size)
  expect(await sharp(content).metadata()).toMatchObject({ format: 'png', width: 60, height: 20 })
})

test('keeps no picture over 256 KiB, whatever it was before', async () => {
  // Noise in few colours is small as an indexed picture, and large with three bytes for each pixel.
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const indexed = await sharp({ create: { width: 700, height: 700, channels: 3, background: 'red', noise } })
    .greyscale()
    .png({ palette: true, colours: 8 })
    .toBuffer()
  expect(indexed.length).toBeLessThanOrEqual(api.maxBrandPictureBytes)
  const response = await send(indexed)
  const { size, errors } = (await response.json()) as { size?: number; errors?: object[] }
  if (response.status === 200) expect(size).toBeLessThanOrEqual(api.maxBrandPictureBytes)
  else expect(errors).toMatchObject([{ field: 'picture', code: 'picture-too-large' }])
})
