// `npm run bench`: all that is measured; `npm run bench -- directory` is one part alone.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { measureDirectory } from './directory.ts'
import { measurePermissions } from './permissions.ts'
import { measureRunningCosts } from './running-costs.ts'

const { values, positionals: asked } = parseArgs({
  options: { relationships: { type: 'string', multiple: true, default: ['100000', '1000000'] } },
  allowPositionals: true,
})

const parts: Record<string, () => Promise<string>> = {
  service: measureRunningCosts,
  directory: measureDirectory,
  permissions: () => measurePermissions(values.relationships.map(Number)),
}
const unknown = asked.filter((name) => !(name in parts))
if (unknown.length > 0) throw new Error(`There are the parts ${Object.keys(parts).join(' and ')}.`)

console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length === 0 || asked.includes(name)) console.log(`\n${await measure()}`)
}
