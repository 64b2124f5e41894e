import { rmSync } from 'node:fs'
import { runServer } from '@passport/world/process'
import { createRequests, type Target } from './directory-requests.ts'
import { type BenchRequest, findMedianLatencies, type Latencies, measureLatencies } from './latencies.ts'
import { createDataDir, seedDirectory, signIn, stop } from './server.ts'

const sizes = [
  { users: 10_000, groups: 1_000, orgs: 100 },
  { users: 1_000_000, groups: 100_000, orgs: 10_000 },
]
const rounds = 3
const secondsPerRound = 4
const maxRatio = 3

/**
 * Measures how the directory's requests scale to a hundred times as many users. Both sizes are measured alternately, so
 * that other load on the machine affects both. Most of the time is the generation of the large directory.
 */
export async function measureDirectory(): Promise<string> {
  const directories = []
  try {
    for (const size of sizes) directories.push(await createDirectory(size))
    const lines = [
      `16 connections; milliseconds     ${sizes.map(({ users }) => `${users.toLocaleString('en')} users`.padStart(19)).join('')}   ratio`,
      `${' '.repeat(33)}${sizes.map(() => '      p50      p99').join(' ')}     p50    p99`,
    ]
    const requests = await Promise.all(directories.map(({ target }) => createRequests(target)))
    for (const name of Object.keys(requests[0] ?? {})) lines.push(await compareSizes(name, directories, requests))
    return `${directories.map(({ summary }) => summary).join('\n')}\n\n${lines.join('\n')}`
  } finally {
    for (const { cleanUp } of directories) await cleanUp()
  }
}

type BenchDirectory = Awaited<ReturnType<typeof createDirectory>>

async function createDirectory(size: (typeof sizes)[number]) {
  const dataDir = createDataDir()
  const { password, output } = await seedDirectory(dataDir, size)
  const server = await runServer({ DATA_DIR: dataDir })
  const headers = { cookie: await signIn(server.url, password), 'sec-fetch-site': 'same-origin' }
  const target: Target = { url: server.url, headers }
  const summary = `seed of ${size.users.toLocaleString('en')} users: ${/([\d.]+ s) +done/.exec(output)?.[1]}`
  console.log(summary)
  const cleanUp = async () => {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { target, summary, cleanUp }
}

async function compareSizes(
  name: string,
  directories: BenchDirectory[],
  requests: Record<string, () => BenchRequest>[],
): Promise<string> {
  const times: Latencies[][] = directories.map(() => [])
  // The first round is a warm-up and does not count.
  for (let round = 0; round <= rounds; round++)
    for (const [index, { target }] of directories.entries()) {
      const next = requests[index]?.[name]
      if (!next) throw new Error(`No measurement for ${name}`)
      const seconds = round === 0 ? 1 : secondsPerRound
      const latencies = await measureLatencies(target.url, target.headers, next, seconds)
      if (round > 0) times[index]?.push(latencies)
    }
  const [small, large] = times.map(findMedianLatencies)
  if (!small || !large) throw new Error('Two sizes are required')
  const figures = [small.p50, small.p99, large.p50, large.p99].map((ms) => ms.toFixed(1).padStart(9))
  const ratios = [large.p50 / small.p50, large.p99 / small.p99]
  const verdict = ratios.every((ratio) => ratio <= maxRatio) ? 'within' : 'MISSED'
  const line = `${name.padEnd(33)}${figures.slice(0, 2).join('')} ${figures.slice(2).join('')}  ${ratios.map((ratio) => ratio.toFixed(2).padStart(6)).join(' ')}   ${verdict} ≤ ${maxRatio}`
  console.log(line)
  return line
}
