import { readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import type { Config } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import { ConcurrentChangeError } from '../directory-config/apply.ts'
import { RuleViolation } from '../directory-config/apply-changes.ts'
import { InvalidDocument } from '../directory-config/invalid-document.ts'
import { applySource, JoinsNotConfirmed, type Result } from '../directory-import/apply.ts'
import { readCsv } from '../directory-import/csv.ts'
import { readKeycloak } from '../directory-import/keycloak.ts'
import { readKeycloakFiles } from '../directory-import/keycloak-files.ts'
import type { Join, NotJoined, Report, ReportEntry } from '../directory-import/report.ts'
import { InvalidSource, type Source, type TargetProvider } from '../directory-import/source.ts'
import * as store from '../directory-import/store.ts'
import { takeBack } from '../directory-import/take-back.ts'
import { confirmOnTerminal } from './confirm.ts'
import { runOnDatabase, UsageError } from './run.ts'

const usage = `npm run import -- keycloak <file or folder>... [options]   imports the export of a realm
npm run import -- csv <file> [options]                     imports users from a CSV file
   --dry-run changes nothing; --report <file> writes everything that was kept, changed and dropped to a JSON file
   --join adds users to the existing roles, organisations and groups that it lists first, without asking
   --realm <name> chooses one of several realms
npm run import -- list                                     lists imports
npm run import -- take-back <import> [--yes]               deletes what an import added and nobody has used since`

/** The number of users that the terminal shows in a list; `--report` has them all. */
const maxUsers = 20

await runOnDatabase(async (sql, config) => {
  const { command, args, values } = readArguments()
  const [argument] = args
  const extra = args[1] ?? (values.realm !== undefined ? '--realm' : undefined)
  if (extra !== undefined && command !== 'keycloak') throw new UsageError(`Unexpected ${extra}.\n${usage}`)
  if (command === 'list' && argument === undefined) return listImports(sql)
  if (command === 'take-back' && argument !== undefined) return takeBackImport(sql, argument, values.yes)
  if ((command !== 'keycloak' && command !== 'csv') || argument === undefined) throw new UsageError(usage)
  try {
    const source = await readSource(command, args, { config, realm: values.realm })
    const isDryRun = values['dry-run']
    const confirmJoins = (joins: Join[]) => {
      printJoins(joins)
      return values.join || (process.stdin.isTTY && confirmOnTerminal('Join them?'))
    }
    const result = await applySource(sql, source, { isDryRun, confirmJoins })
    if (isDryRun) printJoins(source.report.joins)
    printReport(source.report)
    printResult(result, isDryRun)
    if (values.report) writeFileSync(values.report, `${JSON.stringify(toDocument(source, result), null, 2)}\n`)
  } catch (error) {
    if (error instanceof JoinsNotConfirmed)
      throw new UsageError('Nothing was changed. To join these records, run it again with --join.')
    const isExpected =
      error instanceof InvalidSource ||
      error instanceof InvalidDocument ||
      error instanceof RuleViolation ||
      error instanceof ConcurrentChangeError
    if (isExpected) throw new UsageError(error.message)
    throw error
  }
})

function readArguments() {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        'dry-run': { type: 'boolean', default: false },
        join: { type: 'boolean', default: false },
        yes: { type: 'boolean', default: false },
        report: { type: 'string' },
        realm: { type: 'string' },
      },
    })
    const [command, ...args] = positionals
    return { command, args, values }
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${usage}`)
  }
}

async function readSource(
  format: 'keycloak' | 'csv',
  files: string[],
  { config, realm }: { config: Config; realm: string | undefined },
): Promise<Source> {
  const providers = config.identityProviders.flatMap((provider): TargetProvider[] =>
    provider.kind === 'oidc' ? [{ id: provider.id, issuer: provider.issuer }] : [],
  )
  if (format === 'keycloak') return readKeycloak(readKeycloakFiles(files, realm), providers)
  const [file = ''] = files
  return readCsv(readBytes(file), basename(file), providers)
}

function readBytes(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

function printReport({ notes, entries, notJoined, withoutPassword, notImported }: Report) {
  printList('The file', notes)
  for (const [outcome, title] of [
    ['kept', 'Kept'],
    ['changed', 'Changed'],
    ['dropped', 'Dropped'],
  ] as const) {
    const isOfRealm = ({ field }: ReportEntry) => field.startsWith('realm.')
    const found = entries.filter((entry) => entry.outcome === outcome)
    const settings = found.filter(isOfRealm).map(({ field }) => field.slice('realm.'.length))
    printList(title, [
      ...found.filter((entry) => !isOfRealm(entry)).map(formatEntry),
      ...(settings.length > 0 ? [`${count(settings.length, 'setting')} of the realm: ${shorten(settings)}`] : []),
    ])
  }
  printList('Not joined', notJoined.map(formatNotJoined))
  printUsers('Without a password', withoutPassword)
  printUsers('Not imported', notImported)
}

function formatEntry({ field, reason, count, examples }: ReportEntry): string {
  const because = reason && `: ${reason}`
  const records = examples.length > 0 ? ` (${examples.join(', ')}${count > examples.length ? ', …' : ''})` : ''
  return `${String(count).padStart(6)} × ${field}${because}${records}`
}

function printJoins(joins: Join[]) {
  printList('Joins these existing records', joins.map(formatJoin))
}

/** Formats an existing record with what joins it: `group Night shift (role Stage.Editor): 2 users`. */
function formatJoin({ kind, name, label, roles, users, groups }: Join): string {
  const role = `${roles.length === 1 ? 'role' : 'roles'} ${roles.join(', ')}`
  const details = [...(label === name ? [] : [`${label} in the source`]), ...(roles.length > 0 ? [role] : [])]
  const joining = [...(users > 0 ? [count(users, 'user')] : []), ...(groups > 0 ? [count(groups, 'new group')] : [])]
  return `${kind} ${name}${details.length > 0 ? ` (${details.join('; ')})` : ''}: ${joining.join(', ')}`
}

function formatNotJoined({ kind, label, reason, users }: NotJoined): string {
  return `${kind} ${label}: ${reason} (${count(users, 'user')})`
}

function shorten(names: string[]): string {
  return `${names.slice(0, 3).join(', ')}${names.length > 3 ? ', …' : ''}`
}

function printUsers(title: string, users: { user: string; reason: string }[]) {
  const lines = users.slice(0, maxUsers).map(({ user, reason }) => `${user}: ${reason}`)
  if (users.length > maxUsers) lines.push(`and ${users.length - maxUsers} more; --report lists them all`)
  printList(title, lines)
}

function printList(title: string, lines: string[]) {
  if (lines.length === 0) return
  // A name in the file must not hide another line of the list.
  const printable = lines.map((line) => line.replaceAll(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '\ufffd'))
  console.log(`${title}\n${printable.map((line) => `  ${line}`).join('\n')}\n`)
}

function printResult({ importId, roles, organisations, groups, users, unchanged }: Result, isDryRun: boolean) {
  const added = `${count(users, 'user')}, ${count(roles, 'role')}, ${count(groups, 'group')}, ${count(organisations, 'organisation')}`
  const before = unchanged > 0 ? ` ${count(unchanged, 'user')} of this source had been imported before.` : ''
  if (isDryRun) return console.log(`Would add ${added}.${before} Nothing was changed.`)
  if (importId === null) return console.log(`Nothing was changed.${before}`)
  console.log(`Added ${added}.${before}`)
  console.log(`To undo this: npm run import -- take-back ${importId}`)
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

function toDocument({ name, report }: Source, result: Result) {
  const { notes, entries: fields, joins, notJoined, withoutPassword, notImported } = report
  return { source: name, ...result, notes, joins, notJoined, fields, withoutPassword, notImported }
}

async function listImports(sql: Sql) {
  const imports = await store.list(sql)
  if (imports.length === 0) return console.log('There are no imports.')
  for (const { id, source, state, createdAt, users, roles, groups, organisations } of imports)
    console.log(
      `${id}  ${createdAt}  ${source}  ${state === 'takenBack' ? 'taken back' : state}  ${count(users, 'user')}, ${count(roles, 'role')}, ${count(groups, 'group')}, ${count(organisations, 'organisation')}`,
    )
}

async function takeBackImport(sql: Sql, id: string, isConfirmed: boolean) {
  const [found] = await store.list(sql, id)
  if (!found) throw new UsageError(`There is no import ${id}. npm run import -- list shows all.`)
  const question = `Delete ${count(found.users, 'user')}, ${count(found.roles, 'role')}, ${count(found.groups, 'group')} and ${count(found.organisations, 'organisation')} that it added?`
  if (!isConfirmed && !(await confirmOnTerminal(question))) return console.log('Nothing was changed.')
  const { takenBack, kept } = await takeBack(sql, id)
  console.log(
    `Took back ${count(takenBack, 'record')}.${kept > 0 ? ` ${count(kept, 'record')} changed or in use since then were kept.` : ''}`,
  )
}
