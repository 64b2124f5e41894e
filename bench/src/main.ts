// `npm run bench` measures most parts, `npm run bench -- directory` one. The lists and the provider are measured only by
// `npm run bench -- lists` and `npm run bench -- provider`.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { measureDirectory } from './directory.ts'
import { measureDiscovery } from './discovery.ts'
import { measureLists } from './lists.ts'
import { measureMarketplaceEvents } from './marketplace-events.ts'
import { measureMetering } from './metering.ts'
import { measurePermissions } from './permissions.ts'
import { measureProvider } from './provider/provider.ts'
import { measureProviderScale } from './provider/scale.ts'
import { measureRunningCosts } from './running-costs.ts'
import { measureScim } from './scim.ts'

const { values, positionals: requestedParts } = parseArgs({
  options: {
    relationships: { type: 'string', multiple: true, default: ['100000', '1000000'] },
    peers: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    users: { type: 'string', multiple: true, default: ['1000', '300000'] },
  },
  allowPositionals: true,
})

const parts: Record<string, () => Promise<string>> = {
  service: measureRunningCosts,
  directory: measureDirectory,
  discovery: measureDiscovery,
  'marketplace-events': measureMarketplaceEvents,
  scim: measureScim,
  permissions: () => measurePermissions(values.relationships.map(Number)),
}
/** Parts that take minutes, or need other programs, so they must be named explicitly. */
const optInParts: Record<string, () => Promise<string>> = {
  lists: measureLists,
  metering: measureMetering,
  provider: () => measureProvider({ isFetching: values.peers, only: values.only }),
  'provider-scale': () => measureProviderScale(values.users.map(Number)),
}
const unknown = requestedParts.filter((name) => !(name in parts || name in optInParts))
if (unknown.length > 0) {
  console.error(`There is no part ${unknown[0]}. Parts: ${Object.keys({ ...parts, ...optInParts }).join(', ')}.`)
  process.exit(1)
}

console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}`)
for (const [name, measure] of Object.entries({ ...parts, ...optInParts })) {
  if (requestedParts.includes(name) || (requestedParts.length === 0 && name in parts))
    console.log(`\n${await measure()}`)
}
