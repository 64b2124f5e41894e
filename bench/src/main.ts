// `npm run bench`: all that is measured; `npm run bench -- directory` is one part alone.
import { cpus } from 'node:os'
import { measureDirectory } from './directory.ts'
import { measureRunningCosts } from './running-costs.ts'

const parts: Record<string, () => Promise<string>> = { service: measureRunningCosts, directory: measureDirectory }
const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in parts))
if (unknown.length > 0) throw new Error(`There are the parts ${Object.keys(parts).join(' and ')}.`)

console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
for (const [name, measure] of Object.entries(parts)) {
  if (asked.length === 0 || asked.includes(name)) console.log(`\n${await measure()}`)
}
