import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'

/** Structural rules that the linter does not check. */

const serverRoot = new URL('./', import.meta.url).pathname
const isTestFile = (file: string) => /\.test\.ts$|(?:^|\/)test-[\w-]+\.ts$/.test(file)
const files = globSync('**/*.ts', { cwd: serverRoot }).filter((file) => !isTestFile(file))
const read = (file: string) => readFileSync(serverRoot + file, 'utf8')

/**
 * The files that name tables and views. Those of a migration such as `0005_accounts.sql` are named in `accounts/store.ts`,
 * except for these.
 */
const storeFiles: Record<string, string> = {
  recurring_jobs: 'database/jobs.ts',
  secret_probe: 'secret-probe.ts',
  rate_limits: 'http/rate-limit.ts',
  idempotency_keys: 'http/idempotency-store.ts',
  user_rows: 'users/store.ts',
  user_access: 'users/store.ts',
  groups_listed: 'groups/listing.ts',
  group_changes: 'groups/listing.ts',
  parts_in_groups: 'groups/listing.ts',
  group_changes_of_users: 'groups/listing.ts',
  group_summaries: 'groups/listing.ts',
  named_members: 'groups/people.ts',
  named_owners: 'groups/people.ts',
  group_roles: 'groups/store.ts',
  relationship_head: 'permissions/commit-store.ts',
  relationship_commits: 'permissions/commit-store.ts',
  relationship_changes: 'permissions/commit-store.ts',
  permission_schemas: 'permissions/commit-store.ts',
  permission_assertions: 'permissions/assertion-store.ts',
}
const migrations = globSync('../migrations/*.sql', { cwd: serverRoot })

/** Matches a statement that names a table, at any position of a list, with or without aliases. */
const tablePattern = (table: string) =>
  new RegExp(`\\b(?:from|join|into|update|using)\\s+(?:\\w+(?:\\s+(?:as\\s+)?\\w+)?\\s*,\\s*)*${table}\\b`, 'i')

test.for([
  ['select 1 from users', true],
  ['select 1 from sessions, users', true],
  ['select 1 from sessions s,\n  logins as l , users u', true],
  ['delete from logins using users', true],
  ['select 1 from sessions where users', false],
  ['select 1 from users_of_orgs', false],
])('the table rule detects: %s', ([statement, isNamed]) => {
  expect(tablePattern('users').test(String(statement))).toBe(isNamed)
})

test.for([
  ['latest.ts', false],
  ['provider/test-shop.ts', true],
  ['features.test.ts', true],
])('%s is classified as a test file or not', ([file, isTest]) => {
  expect(isTestFile(String(file))).toBe(isTest)
})

test('a table is named only in the store of its feature', () => {
  const violations: string[] = []
  for (const migration of migrations) {
    const feature = basename(migration, '.sql').replace(/^\d+_/, '').replaceAll('_', '-')
    for (const [, table = ''] of read(migration).matchAll(/create (?:table|view) (\w+)/g)) {
      const storeFile = storeFiles[table] ?? `${feature}/store.ts`
      expect(existsSync(serverRoot + storeFile), `${storeFile} for ${table}`).toBe(true)
      const pattern = tablePattern(table)
      violations.push(
        ...files
          .filter((file) => file !== storeFile && pattern.test(read(file)))
          .map((file) => `${file} names ${table}`),
      )
    }
  }
  expect(violations).toEqual([])
})

test('features with endpoints and contract modules match one to one', () => {
  const serves = (file: string) => /\/(routes|serve-[\w-]+)\.ts$/.test(file) && /\bserve\(api\./.test(read(file))
  const serving = [...new Set(files.filter(serves).map(dirname))]
  const contracts = readFileSync(`${serverRoot}../../contract/src/api.ts`, 'utf8')
  const contractFeatures = [...contracts.matchAll(/import \* as \w+ from '\.\/([\w-]+)\.ts'/g)].map(
    ([, feature]) => feature,
  )
  expect(serving.sort()).toEqual(contractFeatures.sort())
})

test('every feature is registered in app.ts', () => {
  const features = files.filter((file) => file.endsWith('/routes.ts')).map(dirname)
  const appSource = read('app.ts')
  for (const feature of features) expect(appSource).toContain(`'./${feature}/routes.ts'`)
})

test('one file decides who is an administrator', () => {
  expect(files.filter((file) => /\broles\.has\(/.test(read(file)))).toEqual(['http/caller.ts'])
})

test('every event stream is limited and reauthorized: one file sends its headers', () => {
  expect(files.filter((file) => read(file).includes("'Content-Type': 'text/event-stream'"))).toEqual([
    'http/event-stream.ts',
  ])
})

test('folders are flat, and no file name is vague', () => {
  expect(files.filter((file) => file.split('/').length > 2)).toEqual([])
  const allFiles = globSync('{contract,server,web,world,e2e,bench,scripts}/**/*.{ts,tsx,mjs}', {
    cwd: `${serverRoot}../../`,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })
  expect(allFiles.length).toBeGreaterThan(100)
  const vagueName = /(?:^|\/)(?:utils?|helpers?|common|misc|base|manager|service-?impl|handlers?|dto)(?:\.|\/)/i
  expect(allFiles.filter((file) => vagueName.test(file))).toEqual([])
})

test('no file refers to a path outside the project', () => {
  const root = `${serverRoot}../../`
  const buildOutput = ['node_modules', '.git', '.tsc', '.passport', 'test-results', '**/node_modules', '**/dist']
  const texts = globSync(['**/*.{ts,tsx,md,json,sql,css,html,mjs}', '.ci/*'], { cwd: root, exclude: buildOutput })
  expect(texts).toEqual(expect.arrayContaining(['README.md', '.ci/run', 'server/src/main.ts', 'web/index.html']))
  const machinePath = new RegExp(['/work/', '/home/', '/root/', 'C:\\\\\\\\Users'].join('|'))
  expect(texts.filter((file) => machinePath.test(readFileSync(root + file, 'utf8')))).toEqual([
    'server/src/features.test.ts',
  ])
})
