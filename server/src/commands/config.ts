import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { Sql } from '../database/sql.ts'
import { applyDocument, compareDocument, nameOf, Overtaken } from '../directory-config/apply.ts'
import { Faulty } from '../directory-config/check.ts'
import type { Change } from '../directory-config/diff.ts'
import { lineOf } from '../directory-config/lines.ts'
import { exportDocument } from '../directory-config/read.ts'
import { Refused } from '../directory-config/write.ts'
import { Misuse, runOnDatabase } from './run.ts'

const usage = `npm run config -- export <file>                    writes the roles, organisations and groups to a file; no people
npm run config -- diff <file>                      tells what applying the file would change; exit code 1 if anything
npm run config -- apply <file> [--prune] [--yes]   makes them as the file has them
   --prune deletes what the file does not have, after asking; --yes is the answer beforehand
npm run --silent config -- export > <file>         also writes it to the standard output`

/** What is wrong is told apart from what is different. */
const troubleCode = 2

await runOnDatabase(async (sql) => {
  try {
    await run(sql)
  } catch (error) {
    const isTold = error instanceof Faulty || error instanceof Refused || error instanceof Overtaken
    if (!isTold && !(error instanceof Misuse)) throw error
    console.error(isTold ? `Nothing was changed.\n${error.message}` : error.message)
    process.exitCode = troubleCode
  }
})

async function run(sql: Sql) {
  const { command, file, prune, isSure } = readArguments()
  if (command === 'export') return writeDocument(await exportDocument(sql), file)
  if (!file || (command !== 'diff' && command !== 'apply')) throw new Misuse(usage)
  const document = readDocument(file)
  if (command === 'diff') return diff(sql, document)
  if (!prune) return apply(sql, document)
  const missing = (await compareDocument(sql, document, { isWhole: true })).filter(({ kind }) => kind === 'missing')
  if (missing.length > 0 && !isSure && !(await isAgreed(missing))) return console.log('Nothing was changed.')
  return apply(sql, document, new Set(missing.map(nameOf)))
}

function readArguments() {
  try {
    const options = { prune: { type: 'boolean', default: false }, yes: { type: 'boolean', default: false } } as const
    const { values, positionals } = parseArgs({ allowPositionals: true, options })
    const [command, file, ...others] = positionals
    if (others.length > 0) throw new Error(`Unexpected ${others[0]}.`)
    return { command, file, prune: values.prune, isSure: values.yes }
  } catch (error) {
    throw new Misuse(`${(error as Error).message}\n${usage}`)
  }
}

function writeDocument(document: object, file: string | undefined) {
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (file === undefined) process.stdout.write(text)
  else writeFileSync(file, text)
}

function readDocument(file: string): unknown {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new Misuse(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const hint = /^\s*>/.test(text) ? '\nnpm wrote lines of its own into it: export with npm run --silent.' : ''
    throw new Misuse(`${file} is not JSON: ${(error as Error).message}${hint}`)
  }
}

async function diff(sql: Sql, document: unknown) {
  const changes = await compareDocument(sql, document, { isWhole: false })
  if (changes.length === 0) return console.log('There is no difference.')
  const verbs = { added: 'added', changed: 'changed', missing: 'missing' }
  for (const change of changes) console.log(lineOf(change, verbs))
  process.exitCode = 1
}

async function apply(sql: Sql, document: unknown, mayGo?: ReadonlySet<string>) {
  const { done, stays } = await applyDocument(sql, document, mayGo)
  const verbs = { added: 'added', changed: 'changed', missing: 'deleted' }
  for (const change of done) console.log(lineOf(change, verbs))
  if (done.length === 0) console.log('Everything is as the file has it. Nothing was changed.')
  if (stays.length > 0) console.log(staying(stays.length))
}

function staying(count: number): string {
  return count === 1
    ? '1 that the file does not have stays. With --prune it is deleted.'
    : `${count} that the file does not have stay. With --prune they are deleted.`
}

async function isAgreed(missing: Change[]): Promise<boolean> {
  for (const change of missing) console.log(lineOf(change, { added: '', changed: '', missing: 'missing' }))
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const asked = terminal.question('Delete these, with what people have by them? Type yes: ')
  const answer = await Promise.race([asked, once(terminal, 'close').then(() => '')])
  terminal.close()
  return answer.trim() === 'yes'
}
