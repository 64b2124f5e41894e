import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { decodeTextFile, UndecodableText } from '@passport/contract/text-file'
import type { Sql } from '../database/sql.ts'
import { applyDocument, ConcurrentChangeError, compareDocument, nameOf } from '../directory-config/apply.ts'
import { RuleViolation } from '../directory-config/apply-changes.ts'
import type { Change } from '../directory-config/diff.ts'
import { InvalidDocument } from '../directory-config/invalid-document.ts'
import { type Join, JoinsNotConfirmed } from '../directory-config/joins.ts'
import { formatChange } from '../directory-config/lines.ts'
import { type ConfigOptions, exportDocument } from '../directory-config/read.ts'
import { fileLimits, parseForeignJson, UnusableJson } from '../http/foreign-json.ts'
import { confirmOnTerminal } from './confirm.ts'
import { runOnDatabase, UsageError } from './run.ts'

const usage = `npm run config -- export <file>     writes what the console configures to a file, without users and secrets
npm run config -- diff <file>       shows what applying the file would change; exit code 1 if there are differences
npm run config -- apply <file> [--dry-run] [--join] [--prune] [--yes]
                                    applies the file
   --join gives roles to the existing groups, tenants and applications that it lists first, without asking
   --dry-run checks every rule and prints the changes, and changes nothing
   --prune deletes entries that the file does not contain, after a confirmation; --yes confirms in advance
npm run --silent config -- export > <file>         writes to standard output`

/** The exit code of errors; differences have 1. */
const errorExitCode = 2

await runOnDatabase(async (sql, { spiceDb }) => {
  try {
    await run(sql, { usesSpiceDb: spiceDb !== undefined })
  } catch (error) {
    const isExpected =
      error instanceof InvalidDocument ||
      error instanceof RuleViolation ||
      error instanceof ConcurrentChangeError ||
      error instanceof JoinsNotConfirmed
    if (!isExpected && !(error instanceof UsageError)) throw error
    console.error(isExpected ? `Nothing was changed.\n${nameFile(error.message)}` : error.message)
    process.exitCode = errorExitCode
  }
})

/** Puts the name of the file before each line of an error, which begins with the path of an entry. */
function nameFile(message: string): string {
  const { file } = readArguments()
  return message.replaceAll(/^/gm, `${file}: `)
}

async function run(sql: Sql, options: ConfigOptions) {
  const { command, file, prune, isConfirmed, isDryRun, isJoining } = readArguments()
  if (command === 'export') return writeDocument(await exportDocument(sql, options), file)
  if (!file || (command !== 'diff' && command !== 'apply')) throw new UsageError(usage)
  const document = readDocument(file)
  if (command === 'diff') return diff(sql, document, options)
  const applyOptions = { ...options, isDryRun, isJoining }
  if (!prune) return apply(sql, document, undefined, applyOptions)
  const changes = await compareDocument(sql, document, { ...options, isWhole: true })
  const missing = changes.filter(({ kind }) => kind === 'missing')
  if (missing.length > 0 && !isConfirmed && !isDryRun && !(await confirmDeletion(missing)))
    return console.log('Nothing was changed.')
  return apply(sql, document, new Set(missing.map(nameOf)), applyOptions)
}

function readArguments() {
  try {
    const flag = { type: 'boolean', default: false } as const
    const options = { prune: flag, yes: flag, join: flag, 'dry-run': flag }
    const { values, positionals } = parseArgs({ allowPositionals: true, options })
    const [command, file, ...extra] = positionals
    if (extra.length > 0) throw new Error(`Unexpected ${extra[0]}.`)
    const { prune, yes: isConfirmed, join: isJoining } = values
    return { command, file, prune, isConfirmed, isJoining, isDryRun: values['dry-run'] }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
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
    text = decodeTextFile(readFileSync(file))
  } catch (error) {
    if (error instanceof UndecodableText) throw new UsageError(`${file} ${error.message}.`)
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
  try {
    return parseForeignJson(text, fileLimits)
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error
    const hint = /^\s*>/.test(text) ? '\nIt contains output of npm. Export with npm run --silent.' : ''
    throw new UsageError(`${file} ${error.message}.${hint}`)
  }
}

async function diff(sql: Sql, document: unknown, options: ConfigOptions) {
  const changes = await compareDocument(sql, document, { ...options, isWhole: false })
  if (changes.length === 0) return console.log('No differences.')
  const verbs = { added: 'added', changed: 'changed', missing: 'missing' }
  for (const change of changes) console.log(formatChange(change, verbs))
  process.exitCode = 1
}

type ApplyOptions = ConfigOptions & { isDryRun: boolean; isJoining: boolean }

async function apply(
  sql: Sql,
  document: unknown,
  deletable: ReadonlySet<string> | undefined,
  { isJoining, ...options }: ApplyOptions,
) {
  const applyConfirmed = (confirmed: Join[]) =>
    applyDocument(sql, document, deletable, {
      ...options,
      isConfirmed: (join) => isJoining || confirmed.includes(join),
    })
  // Asked between two transactions: the locks of the first one must not wait for an answer.
  const result = await applyConfirmed([]).catch(async (error) => {
    if (!(error instanceof JoinsNotConfirmed)) throw error
    printJoins(error.joins)
    if (!process.stdin.isTTY)
      throw new UsageError('Nothing was changed. To give this to them, run it again with --join.')
    return (await confirmOnTerminal('Give this to them?')) ? applyConfirmed(error.joins) : undefined
  })
  if (!result) return console.log('Nothing was changed.')
  const { done, kept, joins } = result
  if (isJoining || options.isDryRun) printJoins(joins)
  const verbs = { added: 'added', changed: 'changed', missing: 'deleted' }
  for (const change of done) console.log(formatChange(change, verbs))
  if (done.length === 0) console.log('No differences. Nothing was changed.')
  else if (options.isDryRun) console.log('This was a dry run. Nothing was changed.')
  if (kept.length > 0) console.log(formatKeptEntries(kept.length))
}

function printJoins(joins: Join[]) {
  if (joins.length > 0) console.log(`Gives this to existing records\n${joins.map((join) => `  ${join}`).join('\n')}\n`)
}

function formatKeptEntries(count: number): string {
  return count === 1
    ? '1 entry is not in the file and was kept. To delete it, use --prune.'
    : `${count} entries are not in the file and were kept. To delete them, use --prune.`
}

async function confirmDeletion(missing: Change[]): Promise<boolean> {
  for (const change of missing) console.log(formatChange(change, { added: '', changed: '', missing: 'missing' }))
  return confirmOnTerminal('Delete these entries, and the roles and memberships that they give?')
}
