// `npm run bench`: what Passport costs on this machine, beside the least that it could cost. Takes about a minute.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createTestBrowser } from '@passport/world/browser'
import { npmStart, type RunningServer, runServer } from '@passport/world/process'
import { startBare } from './bare-process.ts'
import { bundleBytes } from './bundle.ts'
import { residentMegabytes } from './memory.ts'
import { type Load, load, middle } from './polls.ts'
import { signInSizes } from './sign-in-size.ts'
import { type Row, table } from './table.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'passport-bench-'))
chmodSync(dataDir, 0o755)
const env = { DATA_DIR: dataDir, NODE_COMPILE_CACHE: 'node_modules/.cache/compile' }
/** What the start left behind is collected a little after it. */
const settled = () => setTimeout(2000)
const rounds = 3
const secondsPerRound = 5

const cold = await timed(() => npmStart(env))
await stop(cold.result)
const warm = await timed(() => npmStart(env))
await stop(warm.result)
const server = await runServer(env)
try {
  const polls = await measurePolls(server, cold.result.password)
  const rows: Row[] = [
    ['npm start to ready, empty data directory', `${cold.seconds.toFixed(1)} s`, '≤ 5 s', cold.seconds <= 5],
    ['npm start to ready, again', `${warm.seconds.toFixed(1)} s`, '≤ 1.5 s', warm.seconds <= 1.5],
    ['memory of the server, idle', `${polls.idle} MB`, '≤ 150 MB', polls.idle <= 150],
    ['memory of the server, after 10,000 polls', `${polls.polled} MB`, '≤ 150 MB', polls.polled <= 150],
    ['current user, polls/s', polls.ours.requestsPerSecond.toFixed(0)],
    ['  a bare node:http with the same bytes', polls.bare.requestsPerSecond.toFixed(0)],
    ['  ratio', (polls.ours.requestsPerSecond / polls.bare.requestsPerSecond).toFixed(2)],
    ['current user, p99', `${polls.ours.p99Ms} ms`],
    ['  a bare node:http with the same bytes', `${polls.bare.p99Ms} ms`],
    ...(await signInSizes()).map(([name, bytes]): Row => [`gzip: ${name}`, `${(bytes / 1000).toFixed(1)} kB`]),
    ...bundleBytes().map(([name, bytes]): Row => [`sent: ${name}`, `${(bytes / 1000).toFixed(1)} kB`]),
  ]
  console.log(`\nNode ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}\n\n${table(rows)}`)
} finally {
  await stop(server)
  rmSync(dataDir, { recursive: true, force: true })
}

/** Memory before and after 10,000 polls, then both servers in turns, so that what disturbs the machine disturbs both. */
async function measurePolls(server: RunningServer, password: string) {
  await settled()
  const idle = residentMegabytes(server.pid)
  const cookie = await signIn(server.url, password)
  const address = `${server.url}/passport/apphelper/user`
  await load(address, cookie, { amount: 10_000 })
  const polled = residentMegabytes(server.pid)
  const bare = await startBare(await fetch(address, { headers: { cookie } }))
  const ours: Load[] = []
  const bares: Load[] = []
  for (let round = 0; round < rounds; round++) {
    bares.push(await load(bare.url, cookie, { duration: secondsPerRound }))
    ours.push(await load(address, cookie, { duration: secondsPerRound }))
  }
  bare.stop()
  return { idle, polled, ours: middle(ours), bare: middle(bares) }
}

async function timed<Result>(work: () => Promise<Result>) {
  const since = performance.now()
  const result = await work()
  return { result, seconds: (performance.now() - since) / 1000 }
}

async function signIn(url: string, password: string): Promise<string> {
  const browser = createTestBrowser(url)
  await browser.submit(await browser.open('/login'), { name: 'ada', password })
  const session = browser.cookies().find(({ name }) => name === 'passport')
  if (!session) throw new Error('Signing in gave no session')
  return `${session.name}=${session.value}`
}

async function stop({ kill, ended }: RunningServer) {
  kill('SIGTERM')
  await ended
}
