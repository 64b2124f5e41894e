import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { createModel, packModel } from './test-models.ts'

/** A file that must be refused, with the code of the first error. */
export interface HostileFile {
  code: string
  bytes: Buffer<ArrayBuffer>
}

/** Creates a PNG whose header declares a size without the pixels for it. */
export function createPngBomb(width: number, height: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6], 8)
  return packPng([
    toPngChunk('IHDR', header),
    toPngChunk('IDAT', deflateSync(Buffer.alloc(1000))),
    toPngChunk('IEND', Buffer.alloc(0)),
  ])
}

const packPng = (chunks: Buffer[]) => Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])

function toPngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(content.length, 0)
  frame.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([frame.subarray(0, 4), named, frame.subarray(4)])
}

/** Inserts chunks before the pixels of a PNG, which begin after the header. */
const insertIntoPng = (png: Buffer, ...chunks: Buffer[]) => {
  const start = png.indexOf('IDAT') - 4
  return Buffer.concat([png.subarray(0, start), ...chunks, png.subarray(start)])
}

/** Adds a compressed text of this size to a PNG. */
export const addTextToPng = (png: Buffer, size: number): Buffer<ArrayBuffer> =>
  insertIntoPng(png, toPngChunk('zTXt', Buffer.concat([Buffer.from('note\0\0'), deflateSync(Buffer.alloc(size))])))

/** Creates the hostile pictures by name. */
export async function createHostilePictures(): Promise<Record<string, HostileFile>> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const picture = () => sharp({ create: { width: 96, height: 96, channels: 3, background: 'red', noise } })
  const [png, jpeg, webp, gif, avif] = await Promise.all(
    (['png', 'jpeg', 'webp', 'gif', 'avif'] as const).map((type) => picture().toFormat(type).toBuffer()),
  )
  if (!png || !jpeg || !webp || !gif || !avif) throw new Error('no pictures')
  const frames = await sharp([png, await picture().negate().png().toBuffer()], { join: { animated: true } })
    .webp({ loop: 0 })
    .toBuffer()
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>'
  const page = Buffer.from('<script>alert(1)</script>')
  const archive = Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1')
  const corrupted = Buffer.from(png)
  corrupted[png.length >> 1] = (corrupted[png.length >> 1] ?? 0) ^ 0xff
  const half = (file: Buffer) => file.subarray(0, file.length >> 1)
  const avis = Buffer.from(avif)
  avis.write('avis', 8, 'latin1')
  const entries = {
    'an SVG': ['picture-svg', Buffer.from(svg)],
    'a GIF': ['picture-type', gif],
    'a truncated PNG': ['picture-incomplete', half(png)],
    'a PNG that ends between two chunks': ['picture-incomplete', png.subarray(0, png.length - 12)],
    'a truncated JPEG': ['picture-incomplete', half(jpeg)],
    'a truncated WebP': ['picture-incomplete', half(webp)],
    'a truncated AVIF': ['picture-incomplete', half(avif)],
    'a PNG with a changed byte': ['picture-checksum', corrupted],
    'a page behind the signature of a PNG': ['picture-structure', Buffer.concat([png.subarray(0, 8), page])],
    'a page behind the signature of a JPEG': ['picture-structure', Buffer.concat([jpeg.subarray(0, 3), page])],
    'an archive after a PNG': ['picture-appended', Buffer.concat([png, archive])],
    'a page after a JPEG': ['picture-appended', Buffer.concat([jpeg, page])],
    'an archive after the data of a camera in a JPEG': [
      'picture-appended',
      Buffer.concat([jpeg, Buffer.from('SEFH'), archive]),
    ],
    'a page after a WebP': ['picture-appended', Buffer.concat([webp, page, page])],
    'a page after an AVIF': ['picture-appended', Buffer.concat([avif, page, page, page])],
    'an animated PNG': [
      'picture-animated',
      insertIntoPng(png, toPngChunk('acTL', Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]))),
    ],
    'an animated WebP': ['picture-animated', frames],
    'an animated AVIF': ['picture-animated', avis],
    'a PNG with more than 4 MiB of compressed text': ['picture-metadata', addTextToPng(png, 4 * 1024 * 1024 + 1)],
    'a PNG that declares 10 billion pixels': ['picture-too-many-pixels', createPngBomb(100_000, 100_000)],
    'a PNG of more than 40 million pixels': ['picture-too-many-pixels', createPngBomb(8001, 5000)],
    'a PNG that declares 40 million pixels and has none': ['picture-damaged', createPngBomb(8000, 5000)],
  } satisfies Record<string, [string, Buffer]>
  return toHostileFiles(entries)
}

const toHostileFiles = (entries: Record<string, [string, Buffer]>): Record<string, HostileFile> =>
  Object.fromEntries(
    Object.entries(entries).map(([name, [code, bytes]]) => [name, { code, bytes: Buffer.from(bytes) }]),
  )

/** Creates a valid PNG of one bit a pixel. */
export function createLargePng(width: number, height: number): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([1, 0], 8)
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))), { level: 1 })
  return packPng([toPngChunk('IHDR', header), toPngChunk('IDAT', rows), toPngChunk('IEND', Buffer.alloc(0))])
}

/** Creates a model whose document is changed. */
const editModel = (edit: (document: { accessors: object[] }) => void) => createModel({ edit: edit as never })
const asList = (length: number, value: unknown) => Array.from({ length }, () => value)
const declareLength = (length: number) => {
  const model = createModel()
  model.writeUInt32LE(length, 8)
  return model
}
const withText = (replace: (json: string) => string) => {
  const json = createModel().toString('latin1')
  const document = json.slice(20, 20 + createModel().readUInt32LE(12))
  return packModel(replace(document), createModel().subarray(28 + document.length))
}

/** Creates the hostile models by name. */
export function createHostileModels(): Record<string, HostileFile> {
  const notANumber = createModel()
  notANumber.writeFloatLE(Number.NaN, notANumber.length - 48)
  const buffer = { byteLength: 48 }
  const entries = {
    'a text': ['model-type', Buffer.from('glTF, but only at the beginning')],
    'a truncated model': ['model-incomplete', createModel().subarray(0, 300)],
    'a model that declares 1 GiB': ['model-incomplete', declareLength(2 ** 30)],
    'a model that is longer than declared': ['model-length', Buffer.concat([createModel(), Buffer.alloc(4)])],
    'a JSON chunk beyond the end': ['model-chunk', withChunkLength(2 ** 30)],
    'invalid JSON': ['model-json', withText((json) => json.replace('"2.0"', 'NaN'))],
    'JSON of 100,000 levels': ['model-depth', withText((json) => json.replace(/}\s*$/, `,"extras":${nest(100_000)}}`))],
    'JSON of 200,001 values': [
      'model-json-size',
      withText((json) => json.replace(/}\s*$/, `,"extras":[${'[],'.repeat(200_000)}1]}`)),
    ],
    'JSON of more than 4 MiB': [
      'model-json-size',
      withText((json) => json.replace(/}\s*$/, `,"extras":"${'x'.repeat(4_200_000)}"}`)),
    ],
    '200,004 points': [
      'model-triangles',
      createModel({
        triangles: 66_668,
        edit: (model) =>
          Object.assign(model, { meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, mode: 0 }] }] }),
      }),
    ],
    'a buffer in another file': [
      'model-external',
      editModel((model) => Object.assign(model, { buffers: [buffer, { ...buffer, uri: 'http://169.254.169.254/x' }] })),
    ],
    'a buffer in a data URI': [
      'model-data-uri',
      editModel((model) => Object.assign(model, { buffers: [buffer, { byteLength: 1, uri: 'data:;base64,AA==' }] })),
    ],
    'nodes in a cycle': [
      'model-cycle',
      editModel((model) => Object.assign(model, { nodes: [{ children: [1] }, { children: [2] }, { children: [1] }] })),
    ],
    'no mesh': [
      'model-empty',
      packModel({ asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{}] }),
    ],
    'a mesh outside the scene': [
      'model-empty',
      editModel((model) => Object.assign(model, { nodes: [{ mesh: 0 }, {}], scenes: [{ nodes: [1] }] })),
    ],
    'a vertex that is not a number': ['gltf-accessor-invalid-float', notANumber],
    'infinite bounds': ['model-bounds', withText((json) => json.replace('[1,1,0]', '[1e999,1,0]'))],
    '200,001 triangles': ['model-triangles', createModel({ triangles: 200_001 })],
    'one triangle drawn 200,001 times': [
      'model-triangles',
      editModel((model) =>
        Object.assign(model, {
          meshes: [{ primitives: asList(201, { attributes: { POSITION: 0 }, indices: 1 }) }],
          nodes: asList(1000, { mesh: 0 }),
        }),
      ),
    ],
    '1,001 nodes': ['model-nodes', editModel((model) => Object.assign(model, { nodes: asList(1001, {}) }))],
    '17 materials': ['model-materials', editModel((model) => Object.assign(model, { materials: asList(17, {}) }))],
    'Draco compression': [
      'model-draco',
      editModel((model) => Object.assign(model, { extensionsRequired: ['KHR_draco_mesh_compression'] })),
    ],
    'meshopt compression': [
      'model-meshopt',
      editModel((model) => Object.assign(model, { bufferViews: [{ extensions: { EXT_meshopt_compression: {} } }] })),
    ],
    'KTX2 textures': [
      'model-ktx2',
      editModel((model) => Object.assign(model, { extensionsUsed: ['KHR_texture_basisu'] })),
    ],
    'an unknown required extension': [
      'model-extension',
      editModel((model) => Object.assign(model, { extensionsRequired: ['EXT_everything'] })),
    ],
    'an accessor beyond the end': [
      'gltf-accessor-too-long',
      editModel(({ accessors }) => Object.assign(accessors[0] ?? {}, { count: 4 })),
    ],
    'an image of 2049 pixels': ['model-texture-size', createModel({ images: [createPngBomb(2048, 2049)] })],
    '9 images of 2048 × 2048 pixels': [
      'model-texture-memory',
      createModel({ images: asList(9, createPngBomb(2048, 2048)) as Buffer[] }),
    ],
    'an image that is none': ['model-texture-type', createModel({ images: [Buffer.from('no image')] })],
    'an accessor of a billion zeros': [
      'model-memory',
      editModel(({ accessors }) => accessors.push({ componentType: 5126, count: 1_000_000_000, type: 'SCALAR' })),
    ],
  } satisfies Record<string, [string, Buffer<ArrayBuffer>]>
  return toHostileFiles(entries as never)
}

const nest = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

function withChunkLength(length: number): Buffer<ArrayBuffer> {
  const model = createModel()
  model.writeUInt32LE(length, 12)
  return model
}
