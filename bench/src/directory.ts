import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run, runServer } from '@passport/world/process'
import { type AnswerTimes, type Asked, answerTimes, middleOf } from './answer-times.ts'
import { type Directory, questionsOf } from './directory-questions.ts'
import { signIn, stop } from './server.ts'

const sizes = [
  { users: 10_000, groups: 1_000, orgs: 100 },
  { users: 1_000_000, groups: 100_000, orgs: 10_000 },
]
const rounds = 3
const secondsPerRound = 4
const most = 3

/**
 * How the calls of the directory take to a hundred times as many people: both sizes are asked in turns, so that what
 * disturbs the machine disturbs both. Making the large one takes the most of it.
 */
export async function measureDirectory(): Promise<string> {
  const made = []
  try {
    for (const size of sizes) made.push(await makeDirectory(size))
    const lines = [
      `16 connections; milliseconds     ${sizes.map(({ users }) => `${users.toLocaleString('en')} users`.padStart(19)).join('')}   ratio`,
      `${' '.repeat(33)}${sizes.map(() => '      p50      p99').join(' ')}     p50    p99`,
    ]
    const asked = await Promise.all(made.map(({ directory }) => questionsOf(directory)))
    for (const what of Object.keys(asked[0] ?? {})) lines.push(await compare(what, made, asked))
    return `${made.map(({ told }) => told).join('\n')}\n\n${lines.join('\n')}`
  } finally {
    for (const { end } of made) await end()
  }
}

type Made = Awaited<ReturnType<typeof makeDirectory>>

async function makeDirectory(size: (typeof sizes)[number]) {
  const dataDir = mkdtempSync(join(tmpdir(), 'passport-bench-'))
  chmodSync(dataDir, 0o755)
  const env = { DATA_DIR: dataDir, LOG_LEVEL: 'error' }
  const first = await runServer({ DATA_DIR: dataDir })
  await stop(first)
  const words = Object.entries(size).flatMap(([kind, count]) => [`--${kind}`, String(count)])
  const { output, code } = await run('commands/seed.ts', words, env).ended
  if (code !== 0) throw new Error(output)
  const server = await runServer({ DATA_DIR: dataDir })
  const headers = { cookie: await signIn(server.url, first.password), 'sec-fetch-site': 'same-origin' }
  const directory: Directory = { url: server.url, headers }
  const told = `seed of ${size.users.toLocaleString('en')} users: ${/([\d.]+ s) +done/.exec(output)?.[1]}`
  console.log(told)
  const end = async () => {
    await stop(server)
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { directory, told, end }
}

async function compare(what: string, made: Made[], asked: Record<string, () => Asked>[]): Promise<string> {
  const times: AnswerTimes[][] = made.map(() => [])
  // The first round warms up, and does not count.
  for (let round = 0; round <= rounds; round++)
    for (const [at, { directory }] of made.entries()) {
      const next = asked[at]?.[what]
      if (!next) throw new Error(`Nothing is asked for ${what}`)
      const seconds = round === 0 ? 1 : secondsPerRound
      const one = await answerTimes(directory.url, directory.headers, next, seconds)
      if (round > 0) times[at]?.push(one)
    }
  const [small, large] = times.map(middleOf)
  if (!small || !large) throw new Error('There are two sizes')
  const figures = [small.p50, small.p99, large.p50, large.p99].map((ms) => ms.toFixed(1).padStart(9))
  const ratios = [large.p50 / small.p50, large.p99 / small.p99]
  const verdict = ratios.every((ratio) => ratio <= most) ? 'within' : 'MISSED'
  const line = `${what.padEnd(33)}${figures.slice(0, 2).join('')} ${figures.slice(2).join('')}  ${ratios.map((ratio) => ratio.toFixed(2).padStart(6)).join(' ')}   ${verdict} ≤ ${most}`
  console.log(line)
  return line
}
