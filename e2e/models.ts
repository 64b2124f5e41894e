import { crc32, deflateSync } from 'node:zlib'

/** Returns a GLB file of ten triangles in one colour: a bipyramid over a pentagon, 2 m high. */
export function buildBipyramid(): Buffer {
  const corner = (index: number) => {
    const angle = (index * 2 * Math.PI) / 5
    return [Math.sin(angle), 0, Math.cos(angle)]
  }
  const positions = Array.from({ length: 5 }, (_, index) => [
    [...corner(index), ...corner(index + 1), 0, 1, 0],
    [...corner(index + 1), ...corner(index), 0, -1, 0],
  ]).flat(2)
  const material = { pbrMetallicRoughness: { baseColorFactor: [0.9, 0.5, 0.1, 1], metallicFactor: 0 } }
  return buildGlb({ positions, material })
}

/** Returns a GLB file of an upright square, whose texture is red at its left half and blue at its right, as seen from the front. */
export function buildTexturedSquare(): Buffer {
  const positions = [-1, 0, 0, 1, 0, 0, 1, 2, 0, -1, 0, 0, 1, 2, 0, -1, 2, 0]
  const texture = { coordinates: [0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0], png: encodePng(2, 1, [255, 0, 0, 0, 0, 255]) }
  const material = { pbrMetallicRoughness: { baseColorTexture: { index: 0 }, metallicFactor: 0 }, doubleSided: true }
  return buildGlb({ positions, material, texture })
}

interface Model {
  positions: number[]
  material: object
  texture?: { coordinates: number[]; png: Buffer }
}

/** Builds a GLB file (glTF 2.0, section 4.4) with one mesh. */
function buildGlb({ positions, material, texture }: Model): Buffer {
  const parts = [toFloats(positions), ...(texture ? [toFloats(texture.coordinates), pad(texture.png, 0)] : [])]
  const lengths = [parts[0]?.length, parts[1]?.length, texture?.png.length]
  const count = positions.length / 3
  const along = (axis: number) => positions.filter((_, index) => index % 3 === axis)
  const bounds = (pick: (...values: number[]) => number) => [0, 1, 2].map((axis) => Math.fround(pick(...along(axis))))
  let offset = 0
  const bufferViews = parts.map((part, index) => {
    const view = { buffer: 0, byteOffset: offset, byteLength: lengths[index], ...(index < 2 && { target: 34962 }) }
    offset += part.length
    return view
  })
  const document = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, ...(texture && { TEXCOORD_0: 1 }) }, material: 0 }] }],
    materials: [material],
    accessors: [
      { bufferView: 0, componentType: 5126, count, type: 'VEC3', min: bounds(Math.min), max: bounds(Math.max) },
      ...(texture ? [{ bufferView: 1, componentType: 5126, count, type: 'VEC2' }] : []),
    ],
    ...(texture && {
      images: [{ bufferView: 2, mimeType: 'image/png' }],
      textures: [{ source: 0, sampler: 0 }],
      samplers: [{ magFilter: 9728, minFilter: 9728 }],
    }),
    bufferViews,
    buffers: [{ byteLength: offset }],
  }
  const chunks = [
    buildChunk('JSON', pad(Buffer.from(JSON.stringify(document)), 0x20)),
    buildChunk('BIN\0', Buffer.concat(parts)),
  ]
  const header = Buffer.alloc(12)
  header.write('glTF')
  header.writeUInt32LE(2, 4)
  header.writeUInt32LE(12 + Buffer.concat(chunks).length, 8)
  return Buffer.concat([header, ...chunks])
}

const toFloats = (values: number[]) => Buffer.from(new Float32Array(values).buffer)
const pad = (bytes: Buffer, filler: number) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3, filler)])

function buildChunk(type: string, bytes: Buffer): Buffer {
  const header = Buffer.alloc(8)
  header.writeUInt32LE(bytes.length, 0)
  header.write(type, 4)
  return Buffer.concat([header, bytes])
}

/** Encodes a PNG of 8-bit RGB pixels. */
export function encodePng(width: number, height: number, rgb: number[] | Buffer): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const pixels = Buffer.from(rgb)
  const rows = Array.from({ length: height }, (_, row) => [
    Buffer.of(0),
    pixels.subarray(row * width * 3, (row + 1) * width * 3),
  ])
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  const chunks = [
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', deflateSync(Buffer.concat(rows.flat()))),
    encodeChunk('IEND', Buffer.alloc(0)),
  ]
  return Buffer.concat([signature, ...chunks])
}

function encodeChunk(type: string, bytes: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), bytes])
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(bytes.length)
  checksum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, checksum])
}
