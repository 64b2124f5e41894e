import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { runServer } from '@passport/world/process'
import postgres from 'postgres'
import { addRecords, listPaths } from './list-paths.ts'
import { createDataDir, seedDirectory, signIn, stop } from './server.ts'
import { logPlans, measureQueryCost, type QueryCost } from './shared-buffers.ts'

const sizes = [
  { users: 10_000, groups: 1_000, orgs: 100 },
  { users: 300_000, groups: 30_000, orgs: 3_000 },
]
const maxRatio = 3
/** Up to this many buffers are cheap at any size. With 10,000 users, many tables have only a few buffers. */
const negligibleBuffers = 1_000

/**
 * Counts the shared buffers that each list and filter reads at 10,000 and at 300,000 users, over all statements of the
 * request. Buffers do not depend on other load on the machine.
 */
export async function measureLists(): Promise<string> {
  const measured: Record<string, QueryCost>[] = []
  for (const size of sizes) measured.push(await measureDirectory(size))
  const [small, large] = measured
  if (!small || !large) throw new Error('Two sizes are required')
  const lines = Object.entries(small).flatMap(([list, { buffers, statements }]) => {
    const largeCost = large[list]
    if (!largeCost) return []
    const ratio = largeCost.buffers / buffers
    const verdict = ratio <= maxRatio ? 'within' : largeCost.buffers <= negligibleBuffers ? 'few' : 'MISSED'
    const figures = [buffers, largeCost.buffers].map((count) => count.toLocaleString('en').padStart(10)).join('')
    return `${list.padEnd(44)}${figures}${ratio.toFixed(1).padStart(8)}${String(statements).padStart(12)}   ${verdict}`
  })
  const head = `${'shared buffers'.padEnd(44)}${'10,000'.padStart(10)}${'300,000'.padStart(10)}${'ratio'.padStart(8)}${'statements'.padStart(12)}   ≤ ${maxRatio}, or ≤ ${negligibleBuffers} buffers`
  return [head, ...lines].join('\n')
}

async function measureDirectory(size: (typeof sizes)[number]): Promise<Record<string, QueryCost>> {
  const dataDir = createDataDir()
  const home = join(dataDir, 'postgres')
  const connect = () =>
    postgres({ path: join(home, 'sockets/.s.PGSQL.5432'), user: 'passport', database: 'passport', max: 1 })
  try {
    const { password } = await seedDirectory(dataDir, size)
    await withServer(dataDir, async () => {
      const sql = connect()
      await addRecords(sql, size.users)
      await sql.end()
    })
    logPlans(home)
    return await withServer(dataDir, async (url) => {
      const sql = connect()
      const paths = await listPaths(sql)
      await sql.end()
      const headers = { cookie: await signIn(url, password), 'sec-fetch-site': 'same-origin' }
      const measured: Record<string, QueryCost> = {}
      for (const [list, path] of Object.entries(paths)) {
        measured[list] = await measureList(home, async () => {
          const response = await fetch(new URL(path, url), { headers })
          if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
          await response.text()
        })
      }
      return measured
    })
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Returns the minimum of three runs, because background jobs of the server sometimes interfere. */
async function measureList(home: string, sendRequest: () => Promise<void>): Promise<QueryCost> {
  const costs = []
  for (let time = 0; time < 3; time++) costs.push(await measureQueryCost(home, sendRequest))
  return costs.reduce((least, sample) => (sample.buffers < least.buffers ? sample : least))
}

async function withServer<T>(dataDir: string, work: (url: string) => Promise<T>): Promise<T> {
  const server = await runServer({ DATA_DIR: dataDir })
  try {
    return await work(server.url)
  } finally {
    await stop(server)
  }
}
