import { parseForeignJson, UnusableJson } from '../http/foreign-json.ts'
import type { Finding } from './problems.ts'

/** The JSON of a binary glTF. */
export type Glb = { document: Record<string, unknown> } | { finding: Finding }

const headerLength = 12
const chunkHeaderLength = 8
const jsonChunk = 0x4e4f534a
/** Far more than the JSON of an avatar: a parser takes up to a hundred bytes of memory for each value. */
const maxJsonBytes = 4 * 1024 * 1024

/** Reads the JSON of a binary glTF 2.0 file, whose lengths must agree (glTF 2.0, section 4.4). */
export function readGlb(bytes: Uint8Array): Glb {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const isGlb =
    bytes.length >= headerLength + chunkHeaderLength &&
    view.getUint32(0) === 0x676c5446 &&
    view.getUint32(4, true) === 2
  if (!isGlb) return fail('model-type', 'The model must be a binary glTF 2.0 file (.glb).')
  const declared = view.getUint32(8, true)
  if (declared > bytes.length)
    return fail('model-incomplete', `The model is incomplete: it declares ${declared} bytes and has ${bytes.length}.`)
  if (declared < bytes.length)
    return fail('model-length', `The model declares ${declared} bytes, but the file has ${bytes.length}.`)
  const jsonLength = view.getUint32(headerLength, true)
  const start = headerLength + chunkHeaderLength
  if (view.getUint32(headerLength + 4, true) !== jsonChunk)
    return fail('model-json', 'The first chunk of the model must be JSON.')
  if (jsonLength > bytes.length - start)
    return fail('model-chunk', 'The JSON chunk of the model extends beyond the end of the file.')
  return parseJson(bytes.subarray(start, start + jsonLength))
}

function parseJson(bytes: Uint8Array): Glb {
  try {
    const document = parseForeignJson(bytes, { maxBytes: maxJsonBytes, isPartlyRead: true })
    if (isObject(document)) return { document }
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error
    const code = { 'too-large': 'model-json-size', 'too-deep': 'model-depth' }[error.flaw as string]
    if (code) return fail(code, `The JSON of the model ${error.message}.`)
  }
  return fail('model-json', 'The JSON of the model is invalid.')
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fail = (code: string, message: string): Glb => ({ finding: { code, message } })
