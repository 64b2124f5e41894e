import { spawn } from 'node:child_process'
import { createWriteStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodeFlags, run } from '../process.ts'
import { type DemoState, readState } from './state.ts'

/** The users of the generated company. */
const companySize = 400

/**
 * Returns the state of an earlier start, or fills a new database with a company and the demo users. Throws for data of
 * something else.
 */
export async function prepareData(dataDir: string): Promise<DemoState> {
  const state = readState(dataDir)
  if (state) return state
  if (existsSync(join(dataDir, 'postgres')))
    throw new Error(
      `${dataDir} is no demo world, or one of an earlier version. Delete it: DATA_DIR=${dataDir} npm run reset`,
    )
  const { output, code } = await run('commands/seed.ts', [String(companySize)], { ...process.env, DATA_DIR: dataDir })
    .exited
  const password = /with the password {2}(\S+)/.exec(output)?.[1]
  if (code !== 0 || !password) throw new Error(`The database was not filled: ${output}`)
  return { password }
}

export interface RunningPassport {
  /** Resolves once the server is ready; rejects if it exits before. */
  ready: Promise<void>
  exited: Promise<number | null>
  stop: () => void
}

const errorLevel = 50

/** Starts Passport. Its log goes to a file, and only errors are shown. */
export function startPassport(env: NodeJS.ProcessEnv, logFile: string): RunningPassport {
  const log = createWriteStream(logFile)
  const file = fileURLToPath(new URL('../../../server/src/main.ts', import.meta.url))
  const child = spawn(process.execPath, [...nodeFlags, file], { stdio: ['inherit', 'pipe', 'inherit'], env })
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  createInterface({ input: child.stdout }).on('line', (line) => {
    log.write(`${line}\n`)
    if (line.includes('"msg":"ready"')) resolve()
    if (Number(/^\{"level":(\d+)/.exec(line)?.[1]) >= errorLevel) console.log(line)
  })
  const exited = new Promise<number | null>((done) => child.once('exit', (code) => done(code)))
  void exited.then((code) => reject(new Error(`Passport exited with ${code}.`)))
  // Who does not wait for it learns of the exit by `exited`.
  ready.catch(() => {})
  return { ready, exited, stop: () => void child.kill('SIGTERM') }
}
