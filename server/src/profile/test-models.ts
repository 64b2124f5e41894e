/** A part of a glTF document. */
type Json = { [name: string]: unknown }

interface ModelOptions {
  triangles?: number
  /** The size of the file in bytes, if it is larger than needed. */
  size?: number
  /** The content of each image. */
  images?: Buffer[]
  /** Changes the document before it is written. */
  edit?: (document: Json) => void
}

/** Creates a valid binary glTF with triangles that share one vertex buffer. */
export function createModel({ size, ...options }: ModelOptions = {}): Buffer<ArrayBuffer> {
  if (size === undefined) return packPadded(options, 0)
  const padding = size - packPadded(options, 0).length
  // The length of the padding is in the JSON as well.
  return packPadded(options, padding - (packPadded(options, padding).length - size))
}

function packPadded({ triangles = 1, images = [], edit }: Omit<ModelOptions, 'size'>, padding: number) {
  const vertexBytes = 36
  const imageStart = vertexBytes + triangles * 12
  const binary = Buffer.concat([Buffer.alloc(imageStart), ...images, Buffer.alloc(padding)])
  for (const [index, value] of [0, 0, 0, 1, 0, 0, 0, 1, 0].entries()) binary.writeFloatLE(value, index * 4)
  for (let index = 0; index < triangles * 3; index++) binary.writeUInt32LE(index % 3, vertexBytes + index * 4)
  const document: Json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { baseColorFactor: [0.8, 0.3, 0.2, 1] } }],
    buffers: [{ byteLength: binary.length }],
    bufferViews: [
      { buffer: 0, byteLength: vertexBytes, target: 34962 },
      { buffer: 0, byteOffset: vertexBytes, byteLength: triangles * 12, target: 34963 },
      ...images.map((image, index) => ({
        buffer: 0,
        byteOffset: imageStart + images.slice(0, index).reduce((sum, { length }) => sum + length, 0),
        byteLength: image.length,
      })),
    ],
    ...(images.length > 0 && {
      images: images.map((_, index) => ({ bufferView: 2 + index, mimeType: 'image/png' })),
    }),
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5125, count: triangles * 3, type: 'SCALAR' },
    ],
  }
  edit?.(document)
  return packModel(document, binary)
}

/** Writes a document, or its JSON, and its binary part as GLB (glTF 2.0, section 4.4). */
export function packModel(document: object | string, binary: Buffer = Buffer.alloc(0)): Buffer<ArrayBuffer> {
  const json = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
  const chunks = [toChunk(0x4e4f534a, json, 0x20), ...(binary.length > 0 ? [toChunk(0x004e4942, binary, 0)] : [])]
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 12)
  const header = Buffer.alloc(12)
  header.write('glTF', 'latin1')
  header.writeUInt32LE(2, 4)
  header.writeUInt32LE(length, 8)
  return Buffer.concat([header, ...chunks])
}

function toChunk(type: number, content: Buffer, padding: number): Buffer {
  const padded = Buffer.alloc(Math.ceil(content.length / 4) * 4, padding)
  content.copy(padded)
  const header = Buffer.alloc(8)
  header.writeUInt32LE(padded.length, 0)
  header.writeUInt32LE(type, 4)
  return Buffer.concat([header, padded])
}
