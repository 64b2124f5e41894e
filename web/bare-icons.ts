import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vite'
import type { IconShape } from './src/ui/create-icon.ts'

const createIconFile = join(import.meta.dirname, 'src/ui/create-icon.ts')

/**
 * Reduces the icons of lucide-react to their shapes, drawn by `createIcon`. The library's own component supports
 * settings that we do not use, and random keys of shapes do not compress.
 */
export const bareIcons: Plugin = {
  name: 'bare-icons',
  apply: 'build',
  enforce: 'pre',
  async load(id) {
    if (!/\/lucide-react\/dist\/esm\/icons\/(?!index\.)[\w-]+\.mjs$/.test(id)) return undefined
    return `import { createIcon } from ${JSON.stringify(createIconFile)}
export default /* @__PURE__ */ createIcon(${JSON.stringify(await readShapes(id))})`
  },
}

async function readShapes(file: string): Promise<IconShape[]> {
  const { __iconData }: { __iconData: { node: IconShape[] } } = await import(pathToFileURL(file).href)
  return __iconData.node.map(([element, { key: _, ...attributes }]) => [element, attributes])
}
