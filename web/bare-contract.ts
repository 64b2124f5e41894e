import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'

const whole = '?whole'

/**
 * The browser calls endpoints and leaves the checking to the server, so it needs their paths and not their schemas:
 * without those a first visit is 8 kB shorter. Each room's contract is run while the app is built, and of an endpoint
 * only the plain part is kept, with texts, numbers and lists of them; what else the file exports is there for whoever
 * asks for it, schemas and all.
 */
export const bareContract: Plugin = {
  name: 'bare-contract',
  apply: 'build',
  enforce: 'pre',
  // Nothing but making schemas happens there: what nobody asks for may be left out.
  resolveId: (id) => (id.endsWith(whole) ? { id, moduleSideEffects: false } : undefined),
  async load(id) {
    if (!/\/contract\/src\/[\w-]+\.ts$/.test(id)) return undefined
    const exported: Record<string, unknown> = await import(pathToFileURL(id).href)
    if (!Object.values(exported).some(isEndpoint)) return undefined
    const lines = Object.entries(exported).map(([name, value]) => {
      if (isEndpoint(value)) return `export const ${name} = ${JSON.stringify(bareOf(value))}`
      if (isPlain(value)) return `export const ${name} = ${JSON.stringify(value)}`
      return `export { ${name} } from ${JSON.stringify(id + whole)}`
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
function bareOf({ method, path, body, returns }: Endpoint): Endpoint {
  const typeOf = ({ type }: Content) => ({ type })
  return { method, path, ...(body && { body: typeOf(body) }), ...(returns && { returns: typeOf(returns) }) }
}
