import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findFreePort, findUsedPort } from '@passport/world/port'
import { runInTerminal, type TerminalCommand } from '@passport/world/process'
import { expect, onTestFinished, test } from 'vitest'
import { homeOf, socketsOf } from './database/embedded-home.ts'
import { openDatabase } from './database/sql.ts'
import { orders, type Step } from './test-command-orders.ts'
import { createDataDir } from './test-processes.ts'

/** A person with a data directory, and a terminal for each command that runs. */
interface Person {
  dataDir: string
  env: NodeJS.ProcessEnv
  terminals: Map<string, TerminalCommand>
}

async function createPerson(): Promise<Person> {
  const dataDir = createDataDir()
  const port = await findPortForWorld()
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, DATA_DIR: dataDir, PORT: String(port), PASSPORT_URL: `http://localhost:${port}` }
  const person: Person = { dataDir, env, terminals: new Map() }
  onTestFinished(async () => {
    for (const { interrupt } of person.terminals.values()) interrupt()
    for (const { exited } of person.terminals.values()) await exited
    rmSync(dataDir, { recursive: true, force: true })
  }, 120_000)
  return person
}

/** Returns the first of eleven free ports, as `npm run world` needs them. */
async function findPortForWorld(): Promise<number> {
  for (;;) {
    const first = await findFreePort()
    const used = await findUsedPort(Array.from({ length: 11 }, (_, index) => first + index))
    if (used === undefined) return first
  }
}

/** Starts a command with the person's data directory, also if it names another one. */
const start = ({ env }: Person, command: string) => runInTerminal(command.replace(/\bDATA_DIR=\S+ /, ''), env)

function find({ terminals }: Person, command: string): TerminalCommand {
  const terminal = terminals.get(command)
  if (!terminal) throw new Error(`${command} was not begun`)
  return terminal
}

async function take(person: Person, step: Step) {
  if ('awaitSample' in step)
    return expect.poll(() => countSamples(person.dataDir), { timeout: 150_000 }).toBeGreaterThan(0)
  if ('run' in step) return expectEnd(await start(person, step.run).exited, step)
  if ('await' in step) return find(person, step.await).waitForOutput(step.says)
  if ('begin' in step) {
    const terminal = start(person, step.begin)
    person.terminals.set(step.begin, terminal)
    return step.says && terminal.waitForOutput(step.says)
  }
  const terminal = find(person, step.end)
  if (step.isInterrupted) terminal.interrupt()
  if (step.isInterrupted === 'impatiently') await interruptUntilEnd(terminal)
  expectEnd(await terminal.exited, step)
  person.terminals.delete(step.end)
}

async function interruptUntilEnd({ interrupt, exited }: TerminalCommand) {
  const ended = exited.then(() => true)
  while (!(await Promise.race([ended, delay(300, false)]))) interrupt()
}

/** Expects the output and the exit code of a command; that after Ctrl-C depends on npm. */
function expectEnd({ output, code }: { output: string; code: number | null }, { says, code: expected }: EndOf<Step>) {
  if (says) expect(output).toMatch(says)
  if (expected !== undefined) expect([code, output]).toEqual([expected, expect.anything()])
  expect(output).not.toMatch(/^ +at .*[:)]\d*/m)
}

type EndOf<Kind> = Kind extends { run: string } | { end: string } ? { says?: RegExp; code?: 0 | 1 } : never

async function countSamples(dataDir: string): Promise<number> {
  const address = { socketDirectory: socketsOf(dataDir), user: 'passport', database: 'passport' }
  const sql = openDatabase(address, { maxConnections: 1 })
  try {
    return (await sql`select from health_samples`).length
  } finally {
    await sql.end()
  }
}

test.each(Object.entries(orders))('%s', { timeout: 600_000 }, async (_name, steps) => {
  const person = await createPerson()
  for (const step of steps) await take(person, step)
  const running = [...person.terminals.values()]
  for (const { interrupt } of running) interrupt()
  for (const { exited } of running) await exited
  const left = ['owner.json', join(homeOf(person.dataDir), 'tables/postmaster.pid')]
  expect(left.filter((file) => existsSync(join(file.startsWith('/') ? '' : person.dataDir, file)))).toEqual([])
})
