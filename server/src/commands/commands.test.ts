import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { addCast, cast } from '../database/cast.ts'
import { databaseSettings, useProcesses } from '../test-processes.ts'
import { createTestDatabase } from '../test-service.ts'

const processes = useProcesses()
let database: Record<string, string>
beforeAll(async () => {
  const sql = await createTestDatabase()
  await addCast(sql, cast, 'a password for the demonstration people')
  database = await databaseSettings(sql)
})

const command = (name: string, args: string[], env: Record<string, string> = {}) =>
  processes.run(`commands/${name}.ts`, args, { ...database, ...env }).ended

test('admin grant makes the first administrator, even of someone who has never signed in', async () => {
  const env = { PORT: '3999' }
  const added = await command('password', ['carol', '--add', 'Carol Diaz', 'carol@stage.example'], env)
  const grant = /npm run admin -- grant (\S+) (\S+)/.exec(added.output)
  const granted = await command('admin', ['grant', grant?.[1] ?? '', grant?.[2] ?? ''], env)
  expect(granted.output).toContain('is now an administrator')
  const again = await command('admin', ['grant', grant?.[1] ?? '', grant?.[2] ?? ''], env)
  expect(again.output).toContain('was already an administrator')
})

test('password --add creates an identity, and an account unless its e-mail has one', async () => {
  const add = (name: string) =>
    command('password', [name, '--add', 'Dora Diaz', 'dora@stage.example'], { PORT: '3999' })
  expect((await add('dora')).output).not.toContain('There is an account')
  expect((await add('dora2')).output).toContain('There is an account with that email already')
  expect(await add('dora')).toMatchObject({ code: 1, output: 'There is a dora already.\n' })
})

test('a wrong argument prints the usage', async () => {
  const misused = await command('admin', ['make', 'me', 'king'])
  expect(misused).toMatchObject({ code: 1, output: expect.stringContaining('npm run admin -- grant <issuer> <sub>') })
})

test('config exports, compares and applies the directory as a file', async () => {
  const file = join(processes.dataDir, 'passport.json')
  const config = (...args: string[]) => command('config', args)
  expect(await config('export', file)).toMatchObject({ code: 0 })
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, roles: [], orgs: [], groups: [] })
  expect(await config('diff', file)).toMatchObject({ code: 0, output: 'There is no difference.\n' })
  const role = { name: 'Stage.Editor', description: 'Edits stages' }
  writeFileSync(file, JSON.stringify({ version: 1, roles: [role], orgs: [], groups: [] }))
  expect(await config('diff', file)).toMatchObject({ code: 1, output: 'added    role Stage.Editor\n' })
  expect(await config('apply', file)).toMatchObject({ code: 0, output: 'added    role Stage.Editor\n' })
  expect(await config('apply', file)).toMatchObject({
    code: 0,
    output: expect.stringContaining('Nothing was changed'),
  })
  writeFileSync(file, JSON.stringify({ version: 1, roles: [{ ...role, name: 'x' }], orgs: [], groups: [] }))
  const faulty = await config('apply', file)
  expect(faulty).toMatchObject({
    code: 2,
    output: expect.stringMatching(/^Nothing was changed\.\nroles\[0\]\.name: /),
  })
  writeFileSync(file, JSON.stringify({ version: 1, roles: [], orgs: [], groups: [] }))
  expect((await config('apply', file)).output).toContain('1 that the file does not have stays')
  expect((await config('apply', file, '--prune', '--yes')).output).toBe('deleted  role Stage.Editor\n')
  expect(await config('diff', file)).toMatchObject({ code: 0 })
  expect(await config('rename', file)).toMatchObject({
    code: 2,
    output: expect.stringContaining('npm run config --'),
  })
})

test('a server that others can reach does not start before the demo users are dismissed', async () => {
  const open = { ...database, HOST: '0.0.0.0', PUBLIC_URL: 'https://id.example' }
  const refused = await processes.run('main.ts', [], open).ended
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('npm run admin -- dismiss-cast') })
  const dismissed = await command('admin', ['dismiss-cast'])
  expect(dismissed.output).toContain('3 demonstration people are gone.')
  const server = await processes.startServer(open)
  expect(server.output()).toContain('"msg":"ready"')
  expect(server.output()).not.toContain('password')
})

test('reset deletes the data directory after a confirmation', async () => {
  const asked = await processes.run('commands/reset.ts').ended
  expect(asked.output).toContain('Type yes')
  expect(existsSync(processes.dataDir)).toBe(true)
  expect((await processes.run('commands/reset.ts', ['--yes']).ended).output).toContain('All data is gone.')
  expect(existsSync(processes.dataDir)).toBe(false)
})
