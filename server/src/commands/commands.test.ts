import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { tryClaim } from '../database/embedded-owner.ts'
import { addDemoUsers, demoUsers } from '../seed/demo-users.ts'
import { createDatabaseEnvironment, createDataDir, useProcesses } from '../test-processes.ts'
import { createTestDatabase, startTestService } from '../test-service.ts'

const processes = useProcesses()
let database: Record<string, string>
beforeAll(async () => {
  const sql = await createTestDatabase()
  await addDemoUsers(sql, demoUsers, 'a password of the demo users')
  database = await createDatabaseEnvironment(sql)
})

const command = (name: string, args: string[], env: Record<string, string> = {}) =>
  processes.run(`commands/${name}.ts`, args, { ...database, ...env }).exited

test('admin grant creates the first administrator, even for an identity that has never signed in', async () => {
  const env = { PORT: '3999' }
  const added = await command('password', ['carol', '--add', 'Carol Diaz', 'carol@stage.example'], env)
  const grant = /npm run admin -- grant (\S+) (\S+)/.exec(added.output)
  const granted = await command('admin', ['grant', grant?.[1] ?? '', grant?.[2] ?? ''], env)
  expect(granted.output).toContain('is now an administrator')
  const again = await command('admin', ['grant', grant?.[1] ?? '', grant?.[2] ?? ''], env)
  expect(again.output).toContain('was already an administrator')
})

test('password --add creates an identity, and an account unless one has its email', async () => {
  const add = (name: string) =>
    command('password', [name, '--add', 'Dora Diaz', 'dora@stage.example'], { PORT: '3999' })
  expect((await add('dora')).output).not.toContain('already exists')
  expect((await add('dora2')).output).toContain('An account with this email already exists')
  expect(await add('dora')).toMatchObject({ code: 1, output: 'A user named dora already exists.\n' })
})

test('a wrong argument prints the usage', async () => {
  const misused = await command('admin', ['make', 'me', 'king'])
  expect(misused).toMatchObject({ code: 1, output: expect.stringContaining('npm run admin -- grant <issuer> <sub>') })
})

test('keys lists the signing keys and revokes one; running servers apply this within a minute', async () => {
  const service = await startTestService()
  const settings = await createDatabaseEnvironment(service.sql)
  const keys = (...args: string[]) => command('keys', args, settings)
  const readPublishedKeys = async () => {
    const { keys } = (await (await fetch(`${service.url}/connect/jwks`)).json()) as {
      keys: { kid: string; alg: string }[]
    }
    return keys
  }
  const kid = (await readPublishedKeys()).find(({ alg }) => alg === 'ES256')?.kid ?? ''
  expect((await keys()).output).toMatch(new RegExp(`^${kid}  passport   ES256  signs since 20`, 'm'))
  const revoked = await keys('revoke', kid)
  expect(revoked).toMatchObject({ code: 0, output: expect.stringContaining(`Revoked ${kid}.`) })
  const successor = /(\S+) now signs new tokens/.exec(revoked.output)?.[1]
  const now = Date.now()
  vi.spyOn(Date, 'now').mockReturnValue(now + 60_000)
  onTestFinished(() => void vi.restoreAllMocks())
  const kids = (await readPublishedKeys()).map(({ kid }) => kid)
  expect(kids).toContain(successor)
  expect(kids).not.toContain(kid)
  expect(await keys('revoke', kid)).toMatchObject({
    code: 1,
    output: expect.stringContaining(`The key ${kid} does not exist.`),
  })
  expect(await keys('forget')).toMatchObject({
    code: 1,
    output: expect.stringContaining('npm run keys -- revoke <kid>'),
  })
})

test('config exports, compares and applies the directory as a file', async () => {
  const file = join(processes.dataDir, 'passport.json')
  const config = (...args: string[]) => command('config', args)
  expect(await config('export', file)).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    version: 1,
    roles: [],
    orgs: [],
    groups: [],
    apis: [],
    clients: [],
    entitlements: [],
    awsProducts: [],
    contents: [],
    branding: { name: null, logo: null, favicon: null, accent: null, supportUrl: null },
    orgBrandings: [],
    corsOrigins: [],
    tenants: [],
    permissions: { schema: '', assertions: [] },
    audit: { days: 365 },
  })
  expect(await config('diff', file)).toMatchObject({ code: 0, output: 'No differences.\n' })
  const unwritable = join(file, 'below')
  expect(await config('export', unwritable)).toEqual({
    code: 1,
    output: `ENOTDIR: not a directory, open '${unwritable}'\n`,
  })
  const role = { name: 'Stage.Editor', description: 'Edits stages' }
  writeFileSync(file, Buffer.from('{"version":1,"roles":[{"name":"Stage.Editor","description":"für"}]}', 'latin1'))
  expect(await config('diff', file)).toMatchObject({
    code: 2,
    output: expect.stringContaining('passport.json is not text in UTF-8.'),
  })
  writeFileSync(file, `\ufeff${JSON.stringify({ version: 1, roles: [role], orgs: [], groups: [] })}`)
  expect(await config('diff', file)).toMatchObject({ code: 1, output: 'added    role Stage.Editor\n' })
  expect(await config('apply', file, '--dry-run')).toMatchObject({
    code: 0,
    output: 'added    role Stage.Editor\nThis was a dry run. Nothing was changed.\n',
  })
  expect(await config('apply', file)).toMatchObject({ code: 0, output: 'added    role Stage.Editor\n' })
  expect(await config('apply', file)).toMatchObject({
    code: 0,
    output: expect.stringContaining('Nothing was changed'),
  })
  writeFileSync(file, JSON.stringify({ version: 1, roles: [{ ...role, name: 'x' }], orgs: [], groups: [] }))
  const invalid = await config('apply', file)
  expect(invalid).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^Nothing was changed\.\n\S+passport\.json: roles\[0\]\.name: /),
  })
  writeFileSync(file, JSON.stringify({ version: 1, roles: [], orgs: [], groups: [] }))
  expect((await config('apply', file)).output).toContain('1 entry is not in the file and was kept')
  expect((await config('apply', file, '--prune', '--yes')).output).toBe('deleted  role Stage.Editor\n')
  const group = { org: null, name: 'Crew', description: '', roles: [] as string[] }
  writeFileSync(file, JSON.stringify({ version: 1, roles: [role], orgs: [], groups: [group] }))
  expect(await config('apply', file)).toMatchObject({ code: 0 })
  const gives = { ...group, roles: ['Stage.Editor'] }
  writeFileSync(file, JSON.stringify({ version: 1, roles: [role], orgs: [], groups: [gives] }))
  const list = 'Gives this to existing records\n  group Crew: Stage.Editor; 0 users\n'
  expect(await config('apply', file)).toEqual({
    code: 2,
    output: `${list}\nNothing was changed. To give this to them, run it again with --join.\n`,
  })
  expect(await config('apply', file, '--dry-run')).toMatchObject({ code: 0, output: expect.stringContaining(list) })
  expect(await config('apply', file, '--join')).toEqual({
    code: 0,
    output: `${list}\nchanged  group Crew: roles +Stage.Editor\n`,
  })
  writeFileSync(file, JSON.stringify({ version: 1, roles: [], orgs: [], groups: [] }))
  expect(await config('apply', file, '--prune', '--yes')).toMatchObject({ code: 0 })
  expect(await config('diff', file)).toMatchObject({ code: 0 })
  expect(await config('rename', file)).toMatchObject({
    code: 2,
    output: expect.stringContaining('npm run config --'),
  })
})

test('a publicly reachable server does not start before the demo users are removed', async () => {
  const publicSettings = { ...database, HOST: '0.0.0.0', PUBLIC_URL: 'https://id.example' }
  const rejected = await processes.run('main.ts', [], publicSettings).exited
  expect(rejected).toMatchObject({ code: 1, output: expect.stringContaining('npm run admin -- remove-demo-users') })
  const removed = await command('admin', ['remove-demo-users'])
  expect(removed.output).toContain('Removed 3 demo users.')
  const server = await processes.startServer(publicSettings)
  expect(server.output()).toContain('"msg":"ready"')
  expect(server.output()).not.toContain('password')
})

describe('reset', () => {
  let dataDir: string
  const reset = (args: string[] = [], env = {}) =>
    processes.run('commands/reset.ts', args, { DATA_DIR: dataDir, ...env }).exited
  const list = () => readdirSync(dataDir).sort()
  beforeAll(() => {
    dataDir = createDataDir()
    for (const name of ['postgres', 'world']) mkdirSync(join(dataDir, name))
    for (const name of ['secret', 'passport.log']) writeFileSync(join(dataDir, name), '')
  })

  afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

  test('deletes nothing if the directory has files of something else', async () => {
    const file = join(dataDir, 'thesis.doc')
    writeFileSync(file, '')
    const message = /^Nothing was deleted: \S+ is not only a data directory of Passport, it has thesis\.doc\. [^\n]+\n$/
    expect(await reset(['--yes'])).toEqual({ code: 1, output: expect.stringMatching(message) })
    rmSync(file)
    expect(list()).toEqual(['passport.log', 'postgres', 'secret', 'world'])
  })

  test('deletes nothing while a process uses the directory', async () => {
    const claim = tryClaim(dataDir, false)
    const message = new RegExp(
      `\\(process ${process.pid}\\) is running with the data directory \\S+\\. Stop it first\\.\n$`,
    )
    expect(await reset(['--yes'])).toEqual({ code: 1, output: expect.stringMatching(message) })
    claim?.release()
    expect(list()).toEqual(['passport.log', 'postgres', 'secret', 'world'])
  })

  test('does not delete the embedded database if another one is configured', async () => {
    const rejected = await reset(['--yes'], { DATABASE_URL: 'postgres://passport@127.0.0.1:1/passport' })
    expect(rejected).toEqual({
      code: 1,
      output: expect.stringMatching(/^DATABASE_URL is set, and npm run reset only .*\n$/),
    })
  })

  test('rejects an unknown argument', async () => {
    expect((await reset(['--force'])).output).toBe(
      'npm run reset [-- --yes]   deletes all data; --yes skips the confirmation\n',
    )
  })

  test('without a terminal deletes nothing unless --yes confirms it, and keeps a demo world', async () => {
    expect(await reset()).toEqual({
      code: 1,
      output: `This deletes everything in ${dataDir}: users, keys, sessions and the audit log.\nTo confirm without a terminal: npm run reset -- --yes\n`,
    })
    expect(existsSync(dataDir)).toBe(true)
    expect((await reset(['--yes'])).output).toContain('All data was deleted.')
    expect(list()).toEqual(['world'])
    expect(await reset(['--yes'])).toMatchObject({
      code: 0,
      output: expect.stringContaining('There is nothing to delete.'),
    })
  })
})

test('seed adds a company with the demo users to an empty database, and rejects a database with other data', async () => {
  const settings = await createDatabaseEnvironment(await createTestDatabase())
  const seed = (...args: string[]) => command('seed', args, { ...settings, PORT: '3999' })
  const usage = { code: 1, output: expect.stringContaining('must be an integer from 50 to 20000') }
  expect(await seed('49')).toMatchObject(usage)
  expect(await seed('50', '60')).toMatchObject(usage)
  const added = await seed('50')
  expect(added).toMatchObject({ code: 0, output: expect.stringMatching(/Sign in as ada, dev, eve with the password/) })
  for (const line of ['51 users, of which 1 ', '499 audit events, of which 375 ', '10 sessions', 'done'])
    expect(added.output).toContain(line)
  const again = await seed('50')
  expect(again).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^Nothing was added: besides the demo users, the database already has users \(51\)/),
  })
})

test('a large directory is not generated beside a server, whose requests would wait', async () => {
  const sql = await createTestDatabase()
  await sql`
    insert into instances (id, version, started_at, rss_bytes, event_loop_lag_ms) values ('server', '1', now(), 1, 1)`
  const rejected = await command('seed', [], await createDatabaseEnvironment(sql))
  expect(rejected).toEqual({ code: 1, output: expect.stringMatching(/^A server uses this database, .+\n$/) })
})

test('import shows what it would do, imports, lists, and takes back', async () => {
  const file = join(import.meta.dirname, '../directory-import/keycloak-export.json')
  const folder = createDataDir()
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const report = join(folder, 'report.json')
  const dryRun = await command('import', ['keycloak', file, '--dry-run'])
  expect(dryRun).toMatchObject({
    code: 0,
    output: expect.stringMatching(/ 7 × users\.email\n.*Nothing was changed\.\n$/s),
  })
  const imported = await command('import', ['keycloak', file, '--report', report])
  expect(imported.output).toContain('Added 8 users, 5 roles, 3 groups, 1 organisation.')
  expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ source: 'keycloak stage', users: 8 })
  const id = /take-back (\S+)/.exec(imported.output)?.[1] ?? ''
  expect((await command('import', ['list'])).output).toMatch(
    new RegExp(`^${id}  \\S+  keycloak stage  applied  8 users`),
  )
  const second = join(folder, 'guests.csv')
  writeFileSync(second, 'username,groups\nguest.one,guests\n')
  const list = 'Joins these existing records\n  group Guests (guests in the source): 1 user\n'
  expect(await command('import', ['csv', second])).toMatchObject({
    code: 1,
    output: expect.stringMatching(`^${list.replaceAll(/[()]/g, '.')}\nNothing was changed. .*--join\\.\n$`),
  })
  const joined = await command('import', ['csv', second, '--join'])
  expect(joined.output).toMatch(new RegExp(`^${list.replaceAll(/[()]/g, '.')}.*Added 1 user, 0 roles`, 's'))
  expect((await command('import', ['take-back', id, '--yes'])).output).toMatch(
    /^Took back 16 records\. 1 record changed or in use/,
  )
  expect((await command('import', ['keycloak', 'nowhere.json'])).code).toBe(1)
})
