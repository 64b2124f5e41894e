import type { Finding } from './problems.ts'

// The limits of a model that a browser shows to others, checked on its JSON before any library reads it.

const maxTriangles = 200_000
const maxMaterials = 16
const maxNodes = 1_000
/** The width and the height of a texture, in pixels. */
const maxTextureSide = 2048
/** The memory that a viewer needs for the vertices, and for the textures. */
const maxDecodedBytes = 128 * 1024 * 1024

/** Extensions with compressed data, which needs a decoder and can expand without limit. */
const compressions: Record<string, string> = {
  KHR_draco_mesh_compression: 'Draco',
  EXT_meshopt_compression: 'meshopt',
  KHR_meshopt_compression: 'meshopt',
  KHR_texture_basisu: 'KTX2',
}
/** Extensions that a model may require: viewers support them without a decoder. */
const requirable = /^(?:KHR_(?:materials_\w+|texture_transform|mesh_quantization|lights_punctual)|EXT_texture_webp)$/

type Json = Record<string, unknown>

/** Returns what is wrong with the JSON of a model; it may have any content. */
export function findModelFaults(document: Json): Finding[] {
  return [
    ...findExtensionFaults(document),
    ...findUriFaults(document),
    ...findAccessorFaults(document),
    ...findSceneFaults(document),
  ]
}

/** Returns what is wrong with the textures, whose sizes the validator reads. */
export function findTextureFaults(images: ({ width: number; height: number } | undefined)[]): Finding[] {
  const faults = images.flatMap((image, index) => {
    if (!image) return [{ code: 'model-texture-type', message: `images[${index}] must be PNG, JPEG or WebP.` }]
    const { width, height } = image
    if (width <= maxTextureSide && height <= maxTextureSide) return []
    const message = `images[${index}] has ${width} × ${height} pixels, but textures may have at most ${maxTextureSide} × ${maxTextureSide}.`
    return [{ code: 'model-texture-size', message }]
  })
  const bytes = images.reduce((sum, image) => sum + (image ? image.width * image.height * 4 : 0), 0)
  if (faults.length === 0 && bytes > maxDecodedBytes)
    return [{ code: 'model-texture-memory', message: 'The textures need more than 128 MiB when they are decoded.' }]
  return faults
}

function findExtensionFaults(document: Json): Finding[] {
  const named = [...textsOf(document['extensionsUsed']), ...textsOf(document['extensionsRequired'])]
  const used = new Set([...named, ...listExtensions(document)])
  const compressed = new Set([...used].flatMap((name) => compressions[name] ?? []))
  const required = new Set(textsOf(document['extensionsRequired']).filter((name) => !(name in compressions)))
  return [
    ...[...compressed].map((name) => ({
      code: `model-${name.toLowerCase()}`,
      message: `Models with ${name} compression are not accepted. Export it without compression.`,
    })),
    ...[...required]
      .filter((name) => !requirable.test(name))
      .map((name) => ({
        code: 'model-extension',
        message: `The model requires the extension ${name.slice(0, 64)}, which is not supported.`,
      })),
  ]
}

/** Returns the names of all extensions in a document, whose depth is limited. */
function listExtensions(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listExtensions)
  if (!isObject(value)) return []
  const extensions = isObject(value['extensions']) ? Object.keys(value['extensions']) : []
  return [...extensions, ...Object.values(value).flatMap(listExtensions)]
}

function findUriFaults(document: Json): Finding[] {
  return ['buffers', 'images'].flatMap((kind) =>
    listOf(document, kind).flatMap(({ uri }, index) => {
      if (uri === undefined) return []
      const isData = typeof uri === 'string' && /^\s*data:/i.test(uri)
      return isData
        ? [{ code: 'model-data-uri', message: `${kind}[${index}] has a data URI. Put the data into the binary chunk.` }]
        : [{ code: 'model-external', message: `${kind}[${index}] refers to another file. Put it into the model.` }]
    }),
  )
}

const componentBytes: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 }
const componentCounts = new Map<unknown, number>(
  Object.entries({ SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 }),
)

function findAccessorFaults(document: Json): Finding[] {
  const accessors = listOf(document, 'accessors')
  const bytes = accessors.reduce((sum, { componentType, type, count }) => {
    const size = (componentBytes[toNumber(componentType)] ?? 4) * (componentCounts.get(type) ?? 16)
    return sum + size * Math.max(0, toNumber(count) || 0)
  }, 0)
  const unbounded = accessors.findIndex(({ min, max }) =>
    [min, max].flat().some((bound) => bound !== undefined && !Number.isFinite(bound)),
  )
  return [
    ...(bytes > maxDecodedBytes
      ? [{ code: 'model-memory', message: 'The vertices and animations need more than 128 MiB.' }]
      : []),
    ...(unbounded >= 0
      ? [{ code: 'model-bounds', message: `The bounds of accessors[${unbounded}] must be finite numbers.` }]
      : []),
  ]
}

function findSceneFaults(document: Json): Finding[] {
  const nodes = listOf(document, 'nodes')
  const materials = listOf(document, 'materials').length
  const faults: Finding[] = []
  if (materials > maxMaterials)
    faults.push({
      code: 'model-materials',
      message: `The model has ${materials} materials, but may have at most ${maxMaterials}.`,
    })
  if (nodes.length > maxNodes) {
    const message = `The model has ${nodes.length} nodes, but may have at most ${maxNodes}.`
    return [...faults, { code: 'model-nodes', message }]
  }
  const triangles = countTriangles(document, nodes)
  if (triangles === undefined) faults.push({ code: 'model-cycle', message: 'A node of the model contains itself.' })
  else if (triangles.shown === 0) {
    const hasMesh = listOf(document, 'meshes').length > 0
    const message = hasMesh ? 'The default scene of the model shows no mesh.' : 'The model has no mesh.'
    faults.push({ code: 'model-empty', message: `${message} Export it with its meshes.` })
  } else if (triangles.most > maxTriangles)
    faults.push({
      code: 'model-triangles',
      message: `The model draws ${triangles.most} triangles, points and lines, but may draw at most ${maxTriangles}.`,
    })
  return faults
}

/**
 * Counts the triangles, points and lines: `most` are those of all meshes, or those of all nodes if these are more, since several
 * nodes may draw the same mesh; `shown` are those of the default scene. Returns undefined for a cycle of nodes.
 */
function countTriangles(document: Json, nodes: Json[]): { most: number; shown: number } | undefined {
  const accessors = listOf(document, 'accessors')
  const countOf = (index: unknown) => toNumber(accessors[toNumber(index)]?.['count']) || 0
  const meshes = listOf(document, 'meshes').map((mesh) =>
    listOf(mesh, 'primitives').reduce((sum, { mode = 4, indices, attributes }) => {
      const position = isObject(attributes) ? attributes['POSITION'] : undefined
      const vertices = countOf(indices ?? position)
      return sum + Math.max(0, mode === 4 ? Math.floor(vertices / 3) : vertices)
    }, 0),
  )
  const counts = new Map<number, number>()
  const path = new Set<number>()
  let isCyclic = false
  const count = (index: number): number => {
    if (path.has(index)) isCyclic = true
    const known = counts.get(index)
    const node = nodes[index]
    if (isCyclic || known !== undefined || !node) return known ?? 0
    path.add(index)
    const own = node['mesh'] === undefined ? 0 : (meshes[toNumber(node['mesh'])] ?? 0)
    const children = Array.isArray(node['children']) ? node['children'].map(toNumber) : []
    const total = children.reduce((sum, child) => sum + count(child), own)
    path.delete(index)
    counts.set(index, total)
    return total
  }
  nodes.forEach((_, index) => {
    count(index)
  })
  if (isCyclic) return undefined
  const drawn = nodes.reduce((sum, node) => sum + (meshes[toNumber(node['mesh'] ?? Number.NaN)] ?? 0), 0)
  const nested = [...counts.values()].reduce((most, total) => Math.max(most, total), 0)
  const scene = listOf(document, 'scenes')[toNumber(document['scene'] ?? 0)]
  const roots = Array.isArray(scene?.['nodes']) ? scene['nodes'].map(toNumber) : []
  return {
    most: Math.max(
      drawn,
      nested,
      meshes.reduce((sum, triangles) => sum + triangles, 0),
    ),
    shown: roots.reduce((sum, root) => sum + (counts.get(root) ?? 0), 0),
  }
}

/** Returns a number of the JSON; NaN for anything else, which `Number` would throw for or convert. */
const toNumber = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN)
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf = (parent: Json, name: string): Json[] =>
  Array.isArray(parent[name]) ? parent[name].map((entry) => (isObject(entry) ? entry : {})) : []
const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
