import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** A running process of the server or one of its commands. */
export interface RunningProcess {
  pid: number
  /** Returns the combined output of both streams so far. */
  output: () => string
  /** Resolves once the output matches. Rejects with the output if the process exits first. */
  waitForOutput: (pattern: RegExp) => Promise<void>
  exited: Promise<ExitResult>
  kill: (signal: NodeJS.Signals) => void
}

export interface ExitResult {
  output: string
  code: number | null
}

/**
 * The Node.js flags of `npm start`. They keep the memory of the server below 150 MB under load; without them it exceeds
 * 250 MB.
 */
export const nodeFlags = ['--max-semi-space-size=2', '--no-parallel-scavenge', '--max-old-space-size=512']

/**
 * Starts a file of `server/src` with these environment variables, `PATH`, and the compile cache of `npm start`. A server
 * does not drain, unless they say so.
 */
export function run(file: string, args: string[] = [], env: NodeJS.ProcessEnv = {}): RunningProcess {
  return launch(process.execPath, [...nodeFlags, join(root, 'server/src', file), ...args], env)
}

/** A command line that runs as in a terminal. */
export interface TerminalCommand extends RunningProcess {
  /** Presses Ctrl-C: the terminal sends SIGINT to the command and to all processes that it has started. */
  interrupt: () => void
}

/** Runs a command line, such as `npm run seed -- 2000`, in the directory of the repository. */
export function runInTerminal(commandLine: string, env: NodeJS.ProcessEnv): TerminalCommand {
  const command = launch('sh', ['-c', commandLine], env, true)
  let isRunning = true
  void command.exited.then(() => {
    isRunning = false
  })
  return { ...command, interrupt: () => void (isRunning && process.kill(-command.pid, 'SIGINT')) }
}

function launch(command: string, args: string[], env: NodeJS.ProcessEnv, isOwnGroup = false): RunningProcess {
  const child = spawn(command, args, {
    detached: isOwnGroup,
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compile'),
      DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let newOutput = Promise.withResolvers<void>()
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text
      newOutput.resolve()
      newOutput = Promise.withResolvers()
    })
  const exited = new Promise<ExitResult>((resolve) => child.once('close', (code) => resolve({ output, code })))
  return {
    pid: child.pid ?? 0,
    output: () => output,
    exited,
    kill: (signal) => void child.kill(signal),
    waitForOutput: async (pattern) => {
      while (!pattern.test(output)) {
        const hasExited = await Promise.race([exited.then(() => true), newOutput.promise.then(() => false)])
        if (hasExited && !pattern.test(output))
          throw new Error(`The process exited before it printed ${pattern}: ${output}`)
      }
    },
  }
}

export interface RunningServer extends RunningProcess {
  url: string
  /** The password of the demo users; empty if it was printed at an earlier start. */
  password: string
}

/**
 * Starts the server, by default on a free port. Resolves when the server is ready; rejects with its output if it exits
 * first.
 */
export const runServer = (env: Record<string, string>): Promise<RunningServer> =>
  waitUntilReady(run('main.ts', [], { PORT: '0', ...env }))

/** Starts the server with `npm start`, including its checks; `pid` is that of npm. */
export const runNpmStart = (env: Record<string, string>): Promise<RunningServer> =>
  waitUntilReady(launch('npm', ['start'], { PORT: '0', ...env }))

async function waitUntilReady(server: RunningProcess): Promise<RunningServer> {
  await server.waitForOutput(/"msg":"ready"/)
  return {
    ...server,
    url: /"publicUrl":"([^"]+)"/.exec(server.output())?.[1] ?? '',
    password: /shown only once: {2}(\S+)/.exec(server.output())?.[1] ?? '',
  }
}
