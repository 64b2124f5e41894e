// `npm run bench` measures all parts but the lists; `npm run bench -- directory` measures one part, and `npm run bench
// -- lists` the lists.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { measureDirectory } from './directory.ts'
import { measureDiscovery } from './discovery.ts'
import { measureLists } from './lists.ts'
import { measureMarketplaceEvents } from './marketplace-events.ts'
import { measurePermissions } from './permissions.ts'
import { measureRunningCosts } from './running-costs.ts'

const { values, positionals: requestedParts } = parseArgs({
  options: { relationships: { type: 'string', multiple: true, default: ['100000', '1000000'] } },
  allowPositionals: true,
})

const parts: Record<string, () => Promise<string>> = {
  service: measureRunningCosts,
  directory: measureDirectory,
  discovery: measureDiscovery,
  'marketplace-events': measureMarketplaceEvents,
  permissions: () => measurePermissions(values.relationships.map(Number)),
}
/** Parts that take minutes to prepare, so they must be named explicitly. */
const optInParts: Record<string, () => Promise<string>> = { lists: measureLists }
const unknown = requestedParts.filter((name) => !(name in parts || name in optInParts))
if (unknown.length > 0)
  throw new Error(`Unknown part. Available parts: ${Object.keys({ ...parts, ...optInParts }).join(', ')}.`)

console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
for (const [name, measure] of Object.entries({ ...parts, ...optInParts })) {
  if (requestedParts.includes(name) || (requestedParts.length === 0 && name in parts))
    console.log(`\n${await measure()}`)
}
