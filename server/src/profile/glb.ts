import type { Finding } from './problems.ts'

/** The JSON of a binary glTF. */
export type Glb = { document: Record<string, unknown> } | { finding: Finding }

const headerLength = 12
const chunkHeaderLength = 8
const jsonChunk = 0x4e4f534a
/** Deeper than the JSON of any exporter; validators and viewers recurse into it. */
const maxDepth = 64
/** Far more than the JSON of an avatar: a parser takes up to a hundred bytes of memory for each value. */
const maxJsonBytes = 4 * 1024 * 1024
const maxValues = 200_000

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
  if (bytes.length > maxJsonBytes) return fail('model-json-size', 'The JSON of the model is larger than 4 MiB.')
  const { depth, values } = measureJson(bytes)
  if (values > maxValues) return fail('model-json-size', `The JSON of the model has more than ${maxValues} values.`)
  if (depth > maxDepth) return fail('model-depth', `The JSON of the model is nested deeper than ${maxDepth} levels.`)
  try {
    const document = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes))
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) return { document }
  } catch {
    // Reported below.
  }
  return fail('model-json', 'The JSON of the model is invalid.')
}

const [quote, backslash, comma] = [...'"\\,'].map((sign) => sign.charCodeAt(0))
const opening = new Set([...'[{'].map((sign) => sign.charCodeAt(0)))
const closing = new Set([...']}'].map((sign) => sign.charCodeAt(0)))

/** Counts the levels and the values of JSON before it is parsed, and stops above a limit. */
function measureJson(bytes: Uint8Array): { depth: number; values: number } {
  let level = 0
  let depth = 0
  let values = 0
  let isInText = false
  for (let index = 0; index < bytes.length && depth <= maxDepth && values <= maxValues; index++) {
    const byte = bytes[index] as number
    if (byte === quote) isInText = !isInText
    else if (isInText) index += byte === backslash ? 1 : 0
    else if (byte === comma) values++
    else if (opening.has(byte)) {
      values++
      depth = Math.max(depth, ++level)
    } else if (closing.has(byte)) level--
  }
  return { depth, values }
}

const fail = (code: string, message: string): Glb => ({ finding: { code, message } })
