import * as api from '@passport/contract/preferences'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'

let service: TestService
let eve: Visitor
const statements: string[] = []

beforeAll(async () => {
  service = await startTestService({}, { onStatement: (text) => void statements.push(text) })
  eve = await service.as('eve')
})

const put = (key: string, body: string, visitor = eve) =>
  visitor.call(api.putPreference, { params: { userId: 'me', key }, body })
const listVersions = (key: string, visitor = eve, userId = 'me') =>
  visitor.call(api.listPreferenceVersions, { params: { userId, key } })
const listDeleted = (query: { prefix?: string } = {}) =>
  eve.call(api.listDeletedPreferences, { params: { userId: 'me' }, query })
const readValues = async (key: string) => (await listVersions(key)).map(({ value }) => value)
const countVersions = async (key: string) => {
  const [row] = await service.sql<{ count: number }[]>`
    select count(*)::integer as count from preference_versions where user_id = ${eve.id} and key = ${key}`
  return row?.count
}
const sweep = () => service.jobs.find(({ name }) => name === 'sweep')?.run()

describe('the history of a preference', () => {
  test('has the replaced and deleted values, newest first, and is kept by a restore', async () => {
    expect(await listVersions('a/b')).toEqual([])
    for (const value of ['one', 'two', 'two', 'three', '', 'two']) await put('a/b', value)
    const versions = await listVersions('a/b')
    expect(versions.map(({ value }) => value)).toEqual(['three', 'two', 'one'])
    const [third, second] = versions
    expect(Date.parse(third?.replacedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(third?.savedAt ?? ''))
    expect(third?.savedAt).toBe(second?.replacedAt)
    await put('a/b', 'one')
    expect(await readValues('a/b')).toEqual(['two', 'three', 'two', 'one'])
  })

  test.for([
    [29, 29, 'value 0'],
    [30, 30, 'value 0'],
    [31, 30, 'value 1'],
  ] as const)('has of %i earlier values the last %i', async ([earlier, kept, oldest]) => {
    const key = `of ${earlier}`
    for (let index = 0; index <= earlier; index++) await put(key, `value ${index}`)
    const values = await readValues(key)
    expect(values).toHaveLength(kept)
    expect(values[0]).toBe(`value ${earlier - 1}`)
    expect(values.at(-1)).toBe(oldest)
    expect(await countVersions(key)).toBe(kept)
  })

  test.for([
    ['89 days 23:59', 1],
    ['90 days', 0],
    ['90 days 00:01', 0],
  ] as const)(
    'with a value that was replaced %s ago has %i values, before and after the sweep',
    async ([age, kept]) => {
      const key = `of ${age}`
      await put(key, 'old')
      await put(key, 'new')
      await service.sql`
      update preference_versions
      set saved_at = now() - interval '2 years', replaced_at = now() - ${age}::interval
      where user_id = ${eve.id} and key = ${key}`
      expect(await readValues(key)).toHaveLength(kept)
      await sweep()
      expect(await countVersions(key)).toBe(kept)
      expect(await eve.call(api.getPreference, { params: { userId: 'me', key } })).toBe('new')
    },
  )

  test('can be deleted without the current value, and the deletion is recorded once', async () => {
    await put('secret', 'token')
    await put('secret', 'none')
    const forget = () => eve.call(api.deletePreferenceVersions, { params: { userId: 'me', key: 'secret' } })
    await forget()
    await forget()
    expect(await listVersions('secret')).toEqual([])
    expect(await eve.call(api.getPreference, { params: { userId: 'me', key: 'secret' } })).toBe('none')
    const events = await service.sql`
      select action, before, after from audit_events
      where target_id = ${`${eve.id}/secret`} and action like '%history%'`
    expect([...events]).toEqual([{ action: 'preference.history-deleted', before: { versions: 1 }, after: null }])
  })

  test('is visible to administrators and to no other user', async () => {
    await put('private', 'before')
    await put('private', 'after')
    const max = await service.as('max')
    expect(await listVersions('private', max, eve.id)).toMatchObject([{ value: 'before' }])
    for (const method of ['GET', 'DELETE']) {
      const response = await (await service.as('dev')).fetch(`/passport/preferencehistory/${eve.id}/private`, {
        method,
      })
      expect(await response.json()).toMatchObject({ status: 403, code: 'not-yours' })
    }
    expect(await readValues('private')).toEqual(['before'])
  })

  test('keeps the value of each of two concurrent writers', async () => {
    await put('raced', 'start')
    await Promise.all(['left', 'right'].map((value) => put('raced', value)))
    const current = await eve.call(api.getPreference, { params: { userId: 'me', key: 'raced' } })
    expect([current, ...(await readValues('raced'))].sort()).toEqual(['left', 'right', 'start'])
  })

  test('costs one statement in a write that replaces a value, and none in others', async () => {
    const count = async (write: () => Promise<unknown>) => {
      statements.length = 0
      await write()
      return statements.filter((text) => /preference/.test(text)).length
    }
    // The value, the number of preferences, the write.
    expect(await count(() => put('counted', 'one'))).toBe(3)
    // The value, the write with its version, the limits.
    expect(await count(() => put('counted', 'two'))).toBe(3)
    expect(await count(() => put('counted', 'two'))).toBe(1)
    expect(await count(() => put('counted', ''))).toBe(3)
  })
})

describe('the history of a user', () => {
  /** Adds versions of 64 KiB, so that each counts 64 KiB with its key. */
  const fill = (userId: string, versions: number) => service.sql`
    insert into preference_versions (user_id, key, value, saved_at)
    select ${userId}, 'big' || lpad(n::text, 5, '0'), repeat('x', 64 * 1024 - 8), now()
    from generate_series(1, ${versions}::integer) n`
  const readBig = async (userId: string) =>
    service.sql`select key from preference_versions where user_id = ${userId} and key like 'big%' order by id`

  test.for([
    ['below 8 MiB is kept', 'ada', 126, 126],
    ['of exactly 8 MiB is kept', 'dev', 127, 127],
    ['over 8 MiB loses its oldest value', 'max', 128, 127],
  ] as const)('%s', async ([, user, versions, kept]) => {
    const visitor = await service.as(user)
    await fill(visitor.id, versions)
    // The last version has exactly 64 KiB too.
    await put('last', 'y'.repeat(64 * 1024 - 4), visitor)
    await put('last', 'z', visitor)
    const left = await readBig(visitor.id)
    expect(left).toHaveLength(kept)
    expect(left[0]).toEqual({ key: kept < versions ? 'big00002' : 'big00001' })
    expect(await listVersions('last', visitor)).toHaveLength(1)
  })

  test('counts a short value as 512 bytes', async () => {
    await put('short', 'a')
    await put('short', 'b')
    const [row] = await service.sql`select size from preference_versions where user_id = ${eve.id} and key = 'short'`
    expect(row).toEqual({ size: api.minVersionBytes })
  })

  test('lists deleted preferences with their last value, newest first, also by prefix', async () => {
    for (const [key, value] of Object.entries({ 'MyApp.A': '1', 'MyApp.B': '2', 'Other.C': '3', 'myapp.D': '4' })) {
      await put(key, 'before')
      await put(key, value)
      await put(key, '')
    }
    await put('MyApp.B', 'again')
    const mine = await listDeleted({ prefix: 'MyApp.' })
    expect(mine).toEqual([{ key: 'MyApp.A', value: '1', deletedAt: expect.stringMatching(/Z$/) }])
    const keys = (await listDeleted()).map(({ key }) => key)
    expect(keys.slice(0, 3)).toEqual(['myapp.D', 'Other.C', 'MyApp.A'])
    expect(keys).not.toContain('MyApp.B')
  })

  test('is deleted with the user', async () => {
    await put('mine', 'a')
    await put('mine', '')
    await service.sql`update users set deleted_at = now() - interval '31 days' where id = ${eve.id}`
    await service.jobs.find(({ name }) => name === 'purge-trash')?.run()
    expect(await service.sql`select from users where id = ${eve.id}`).toHaveLength(0)
    expect(await service.sql`select from preference_versions where user_id = ${eve.id}`).toHaveLength(0)
  })
})

test('a list has the keys with a prefix, and their ETags and times on request', async () => {
  const ada = await service.as('ada')
  await put('List.A', 'one', ada)
  await put('List.B%_', 'two', ada)
  await put('list.c', 'three', ada)
  const list = (query: object) => ada.call(api.listPreferences, { params: { userId: 'me' }, query })
  expect(await list({ prefix: 'List.' })).toEqual([
    { key: 'List.A', value: 'one' },
    { key: 'List.B%_', value: 'two' },
  ])
  expect(await list({ prefix: 'List.B%' })).toEqual([{ key: 'List.B%_', value: 'two' }])
  const [first] = await list({ prefix: 'List.A', details: true })
  expect(first).toEqual({ key: 'List.A', value: 'one', version: expect.any(String), savedAt: expect.any(String) })
  const response = await ada.fetch('/passport/preferences/me/List.A')
  expect(response.headers.get('etag')).toBe(`"${first?.version}"`)
  expect((await ada.fetch(`/passport/preferences/me?prefix=${'x'.repeat(257)}`)).status).toBe(400)
  expect((await ada.fetch(`/passport/preferences/me?prefix=${'x'.repeat(256)}`)).status).toBe(200)
})
