import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, test } from 'vitest'

/** The walls that no linter sees. */

const side = new URL('./', import.meta.url).pathname
const isOfTests = (file: string) => /\.test\.ts$|(?:^|\/)test-[\w-]+\.ts$/.test(file)
const files = globSync('**/*.ts', { cwd: side }).filter((file) => !isOfTests(file))
const read = (file: string) => readFileSync(side + file, 'utf8')

/** Where the tables of a migration may be named; the room is in its name, `0003_accounts.sql`. */
const homes: Record<string, string> = {
  jobs: 'database/jobs.ts',
  'rate-limits': 'http/rate-limit.ts',
  'idempotency-keys': 'http/idempotency-store.ts',
  'group-lists': 'groups/listing.ts',
  'group-people': 'groups/people.ts',
  'permission-assertions': 'permissions/assertion-store.ts',
}
/** Tables of a room with two stores that are named in the other one. */
const homesOfTables: Record<string, string> = {
  relationship_head: 'permissions/commit-store.ts',
  relationship_commits: 'permissions/commit-store.ts',
  relationship_changes: 'permissions/commit-store.ts',
  permission_schemas: 'permissions/commit-store.ts',
}
const migrations = globSync('../migrations/*.sql', { cwd: side })

/** A statement that names a table, first or further on in a list, with or without names of its own for each. */
const namingOf = (table: string) =>
  new RegExp(`\\b(?:from|join|into|update|using)\\s+(?:\\w+(?:\\s+(?:as\\s+)?\\w+)?\\s*,\\s*)*${table}\\b`, 'i')

test.for([
  ['select 1 from users', true],
  ['select 1 from sessions, users', true],
  ['select 1 from sessions s,\n  logins as l , users u', true],
  ['delete from logins using users', true],
  ['select 1 from sessions where users', false],
  ['select 1 from users_of_orgs', false],
])('the wall sees a table in: %s', ([statement, isNamed]) => {
  expect(namingOf('users').test(String(statement))).toBe(isNamed)
})

test.for([
  ['latest.ts', false],
  ['provider/test-shop.ts', true],
  ['rooms.test.ts', true],
])('%s is looked at as what it is', ([file, isTest]) => {
  expect(isOfTests(String(file))).toBe(isTest)
})

test('a table is named only in the store of its room', () => {
  const strays: string[] = []
  for (const migration of migrations) {
    const room = basename(migration, '.sql').replace(/^\d+_/, '').replaceAll('_', '-')
    const home = homes[room] ?? `${room}/store.ts`
    expect(existsSync(side + home), `${home} for ${migration}`).toBe(true)
    for (const [, table = ''] of read(migration).matchAll(/create (?:table|view) (\w+)/g)) {
      const naming = namingOf(table)
      const only = homesOfTables[table] ?? home
      strays.push(
        ...files.filter((file) => file !== only && naming.test(read(file))).map((file) => `${file} names ${table}`),
      )
    }
  }
  expect(strays).toEqual([])
})

test('every room that serves endpoints has a contract of its name, and every contract a room', () => {
  const serves = (file: string) => /\/(routes|serve-[\w-]+)\.ts$/.test(file) && /\bserve\(api\./.test(read(file))
  const serving = [...new Set(files.filter(serves).map(dirname))]
  const contracts = readFileSync(`${side}../../contract/src/api.ts`, 'utf8')
  const described = [...contracts.matchAll(/import \* as \w+ from '\.\/([\w-]+)\.ts'/g)].map(([, room]) => room)
  expect(serving.sort()).toEqual(described.sort())
})

test('every room is on the map', () => {
  const rooms = files.filter((file) => file.endsWith('/routes.ts')).map(dirname)
  const map = read('app.ts')
  for (const room of rooms) expect(map).toContain(`'./${room}/routes.ts'`)
})

test('rooms are flat, and no name says nothing', () => {
  expect(files.filter((file) => file.split('/').length > 2)).toEqual([])
  const everything = globSync('{contract,server,web,world,e2e,bench,scripts}/**/*.{ts,tsx,mjs}', {
    cwd: `${side}../../`,
    exclude: ['**/node_modules/**', '**/dist/**'],
  })
  expect(everything.length).toBeGreaterThan(100)
  const empty = /(?:^|\/)(?:utils?|helpers?|common|misc|base|manager|service-?impl|handlers?|dto)(?:\.|\/)/i
  expect(everything.filter((file) => empty.test(file))).toEqual([])
})

test('no file refers to a place outside the project', () => {
  const root = `${side}../../`
  const built = ['node_modules', '.git', '.tsc', '.passport', 'test-results', '**/node_modules', '**/dist']
  const texts = globSync(['**/*.{ts,tsx,md,json,sql,css,html,mjs}', '.ci/*'], { cwd: root, exclude: built })
  expect(texts).toEqual(expect.arrayContaining(['README.md', '.ci/run', 'server/src/main.ts', 'web/index.html']))
  const machine = new RegExp(['/work/', '/home/', '/root/', 'C:\\\\\\\\Users'].join('|'))
  expect(texts.filter((file) => machine.test(readFileSync(root + file, 'utf8')))).toEqual(['server/src/rooms.test.ts'])
})
