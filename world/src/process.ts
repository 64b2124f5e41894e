import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A program of Passport's server that runs by itself, as `npm start` and the commands run it. */
export interface Running {
  pid: number
  /** All it has said so far, to both streams. */
  output: () => string
  /** Resolves once it has said it; throws with all it said if it ends before. */
  says: (pattern: RegExp) => Promise<void>
  ended: Promise<Ended>
  kill: (signal: NodeJS.Signals) => void
}

export interface Ended {
  output: string
  code: number | null
}

/** Those of `npm start`: they hold the server below 150 MB under load, where it would grow past 250. */
export const nodeFlags = ['--max-semi-space-size=2', '--max-old-space-size=512']

/** Starts a file of `server/src`, with these variables, `PATH`, and the compile cache of `npm start`. */
export function run(file: string, args: string[] = [], env: Record<string, string> = {}): Running {
  return launch(process.execPath, [...nodeFlags, join(root, 'server/src', file), ...args], env)
}

function launch(command: string, args: string[], env: Record<string, string>): Running {
  const child = spawn(command, args, {
    cwd: root,
    env: { PATH: process.env['PATH'], NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let heard = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
      heard.resolve()
      heard = Promise.withResolvers()
    })
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ output, code })))
  return {
    pid: child.pid ?? 0,
    output: () => output,
    ended,
    kill: (signal) => void child.kill(signal),
    says: async (pattern) => {
      while (!pattern.test(output)) {
        const isOver = await Promise.race([ended.then(() => true), heard.promise.then(() => false)])
        if (isOver && !pattern.test(output)) throw new Error(`It ended before it said ${pattern}: ${output}`)
      }
    },
  }
}

export interface RunningServer extends Running {
  url: string
  /** That of the demonstration people; empty where it was told at an earlier start. */
  password: string
}

/** Starts the server on a free port unless told another; resolves when it is ready, throws with what it said if it cannot be. */
export const runServer = (env: Record<string, string>): Promise<RunningServer> =>
  whenReady(run('main.ts', [], { PORT: '0', ...env }))

/** The same by `npm start`, as people do: what that checks before is a part of it. `pid` is that of npm. */
export const npmStart = (env: Record<string, string>): Promise<RunningServer> =>
  whenReady(launch('npm', ['start'], { PORT: '0', ...env }))

async function whenReady(server: Running): Promise<RunningServer> {
  await server.says(/"msg":"ready"/)
  return {
    ...server,
    url: /"publicUrl":"([^"]+)"/.exec(server.output())?.[1] ?? '',
    password: /shown this once: {2}(\S+)/.exec(server.output())?.[1] ?? '',
  }
}
