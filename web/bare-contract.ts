import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const originalSuffix = '?original'

/**
 * Reduces the contract's endpoints to what `call` needs: method, path and content types. The server validates, so the
 * browser needs no schemas of requests and responses; this saves 8 kB on a first visit. The build executes each
 * contract file with endpoints. Its plain exports (JSON without null) are inlined; all others are
 * re-exported from the original file.
 */
export const bareContract: Plugin = {
  name: 'bare-contract',
  apply: 'build',
  enforce: 'pre',
  // The original file only creates schemas, so it is dropped unless one of its exports is used.
  resolveId: (id) => (id.endsWith(originalSuffix) ? { id, moduleSideEffects: false } : undefined),
  async load(id) {
    if (!/\/contract\/src\/[\w-]+\.ts$/.test(id)) return undefined
    const exported: Record<string, unknown> = await import(pathToFileURL(id).href)
    if (!Object.values(exported).some(isEndpoint)) return undefined
    const lines = Object.entries(exported).map(([name, value]) => {
      if (isEndpoint(value)) return `export const ${name} = ${JSON.stringify(toBareEndpoint(value))}`
      if (isPlain(value)) return `export const ${name} = ${JSON.stringify(value)}`
      return `export { ${name} } from ${JSON.stringify(id + originalSuffix)}`
    })
    return lines.join('\n')
  },
  /**
   * Fails if a file with endpoints is in the bundle for another of its exports: it brings the library of the schemas into
   * the first load. Such exports belong in a contract file without endpoints.
   */
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue
      for (const [id, { renderedExports }] of Object.entries(chunk.modules)) {
        if (!id.endsWith(originalSuffix)) continue
        const file = id.replace(/^.*\/(contract\/.*)\?.*$/, '$1')
        this.error(
          `${file} has endpoints, and the web imports ${renderedExports.join(', ')} from it. Move that to a file without.`,
        )
      }
    }
  },
}

const isPlain = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every(isPlain)) ||
  (isDictionary(value) && Object.values(value).every(isPlain))
const isDictionary = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

interface Content {
  type: string
}
interface Endpoint {
  method: string
  path: string
  body?: Content
  returns?: Content
}

const isEndpoint = (value: unknown): value is Endpoint =>
  typeof value === 'object' && value !== null && 'method' in value

/** Returns the parts of an endpoint that `call` reads. */
function toBareEndpoint({ method, path, body, returns }: Endpoint): Endpoint {
  const pickType = ({ type }: Content) => ({ type })
  return { method, path, ...(body && { body: pickType(body) }), ...(returns && { returns: pickType(returns) }) }
}
