import { spawn } from 'node:child_process'
import { createWriteStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { nodeFlags, run } from '../process.ts'
import { type DemoState, readState, saveState } from './state.ts'

/** The users of the generated company. */
const companySize = 400

/**
 * Returns the state of an earlier start, or fills a new database with a company and the demo users. Throws for data of
 * something else.
 */
export async function prepareData(dataDir: string): Promise<DemoState> {
  const state = readState(dataDir)
  if (state?.password) return state
  const env = { ...process.env, DATA_DIR: dataDir }
  if (state) await runCommand('commands/reset.ts', ['--yes'], env)
  else if (existsSync(join(dataDir, 'postgres')))
    throw new Error(
      `${dataDir} is no demo world, or one of an earlier version. Delete it: DATA_DIR=${dataDir} npm run reset`,
    )
  // Marks data that an interrupted start leaves behind, for the next start to delete.
  saveState(dataDir, { password: '' })
  const output = await runCommand('commands/seed.ts', [String(companySize)], env)
  const password = /with the password {2}(\S+)/.exec(output)?.[1]
  if (!password) throw new Error(`the database was not filled: ${output}`)
  const filled = { password }
  saveState(dataDir, filled)
  return filled
}

/** Runs a command of the server, and returns its output. Throws an error with the output if it fails. */
async function runCommand(file: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { output, code } = await run(file, args, env).exited
  if (code !== 0) throw new Error(output.trim())
  return output
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
