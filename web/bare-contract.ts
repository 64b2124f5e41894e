import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const wholeSuffix = '?whole'

/**
 * Replaces the contract's endpoints with their plain parts (texts, numbers and lists of them). The browser needs paths,
 * not schemas: the server validates. This saves 8 kB on a first visit. Each contract file is executed during the build;
 * its other exports remain available, with their schemas.
 */
export const bareContract: Plugin = {
  name: 'bare-contract',
  apply: 'build',
  enforce: 'pre',
  // A contract file only creates schemas, so unused ones can be dropped.
  resolveId: (id) => (id.endsWith(wholeSuffix) ? { id, moduleSideEffects: false } : undefined),
  async load(id) {
    if (!/\/contract\/src\/[\w-]+\.ts$/.test(id)) return undefined
    const exported: Record<string, unknown> = await import(pathToFileURL(id).href)
    if (!Object.values(exported).some(isEndpoint)) return undefined
    const lines = Object.entries(exported).map(([name, value]) => {
      if (isEndpoint(value)) return `export const ${name} = ${JSON.stringify(toBareEndpoint(value))}`
      if (isPlain(value)) return `export const ${name} = ${JSON.stringify(value)}`
      return `export { ${name} } from ${JSON.stringify(id + wholeSuffix)}`
    })
    return lines.join('\n')
  },
}

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || (Array.isArray(value) && value.every(isPlain))

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

/** What `call` reads of an endpoint. */
function toBareEndpoint({ method, path, body, returns }: Endpoint): Endpoint {
  const pickType = ({ type }: Content) => ({ type })
  return { method, path, ...(body && { body: pickType(body) }), ...(returns && { returns: pickType(returns) }) }
}
