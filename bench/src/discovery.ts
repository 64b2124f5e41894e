import { rmSync } from 'node:fs'
import { type RunningEntra, startEntra } from '@passport/world/entra/entra'
import { runServer } from '@passport/world/process'
import { percentile } from './percentile.ts'
import { createDataDir, seedDirectory, signIn, stop } from './server.ts'
import { formatTable } from './table.ts'

const size = { users: 10_000, groups: 1_000, orgs: 1_000 }
const registration = { clientId: 'passport', clientSecret: 'the secret of Passport at Entra' }
const domainCount = 50
const rounds = 40
/** Below the limit of an administrator, which is 30 a minute. */
const lookups = 25
const tool = '/passport/admin/tools/tenantdiscovery'

/**
 * Measures the decision where 50 domains sign in, in one call of the simulation, which has no limit, and the lookup of
 * the tenant of a domain in three clouds on the same machine.
 */
export async function measureDiscovery(): Promise<string> {
  const dataDir = createDataDir()
  const clouds: RunningEntra[] = []
  try {
    const { password } = await seedDirectory(dataDir, size)
    for (const id of ['AzurePublic', 'AzureUSGovernment', 'AzureChina'])
      clouds.push(
        await startEntra({ id, ...registration, redirectUris: [], consentRedirectUri: 'http://localhost:1/' }),
      )
    const settings = ['AzurePublic', 'AzureUSGovernment', 'AzureChina'].map((id, index) => ({
      ...{ id, ...registration },
      authority: clouds[index]?.authority,
      graph: clouds[index]?.graph,
    }))
    const server = await runServer({ DATA_DIR: dataDir, ENTRA_CLOUDS: JSON.stringify(settings) })
    try {
      const headers = {
        cookie: await signIn(server.url, password),
        'sec-fetch-site': 'same-origin',
        'content-type': 'application/json',
      }
      const call = async (path: string, emails?: string[]) => {
        const startedAt = performance.now()
        const init = emails && { method: 'POST', body: JSON.stringify({ emails }) }
        const response = await fetch(server.url + path, { headers, ...init })
        await response.text()
        if (!response.ok) throw new Error(`${path}: ${response.status}`)
        return performance.now() - startedAt
      }
      const domains = Array.from({ length: domainCount }, (_, index) => `ana@company-${index}.example`)
      const decisions: number[] = []
      const empty: number[] = []
      for (let round = 0; round < rounds; round++) {
        decisions.push(await call(`${tool}/simulate`, domains))
        empty.push(await call(`${tool}/simulate`, []))
      }
      const asked: number[] = []
      for (let index = 0; index < lookups; index++) asked.push(await call(`${tool}?q=marisol.example&refresh=true`))
      const format = (values: number[], share: number) => `${percentile(values, share).toFixed(1)} ms`
      return formatTable([
        [`home realms of ${domainCount} domains, p50`, format(decisions, 0.5)],
        [`home realms of ${domainCount} domains, p95`, format(decisions, 0.95)],
        ['  the same call without domains, p50', format(empty, 0.5)],
        ['tenant of a domain in 3 clouds, p50', format(asked, 0.5)],
        ['tenant of a domain in 3 clouds, p95', format(asked, 0.95)],
      ])
    } finally {
      await stop(server)
    }
  } finally {
    for (const { stop } of clouds) await stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
