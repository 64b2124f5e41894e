import { type AuditEntry, type AuditFilter, countAuditEntries, listAuditEntries } from '@passport/contract/audit'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { record } from './store.ts'

let service: TestService
let ada: Visitor
let eve: Visitor

const visit = {
  ip: '203.0.113.9',
  userAgent: 'curl/8.1',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  requestId: '0af7651916cd43dd8448eb211c80319c',
  host: 'passport',
}

beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  eve = await service.as('eve')
  const group = { kind: 'group', id: 'g:1/x' } as const
  await record(service.sql, {
    action: 'group.changed',
    actorId: ada.id,
    target: group,
    before: { name: 'Old', roles: ['Passport.Developer'] },
    after: { name: 'New', roles: [] },
    reason: 'asked for',
    visit,
  })
  await record(service.sql, {
    action: 'group.members-added',
    actorId: 'gone',
    target: group,
    after: { members: [eve.id] },
  })
  await record(service.sql, { action: 'user.disabled', actorId: ada.id, target: { kind: 'user', id: eve.id } })
  await record(service.sql, { action: 'key.rotated', target: { kind: 'key', id: null } })
})

const list = async (query: Partial<AuditFilter & { limit: number }> = {}) =>
  (await ada.call(listAuditEntries, { query })).items
const actionsOf = (items: AuditEntry[]) => items.map(({ action }) => action)

test('returns an event in full, with names', async () => {
  const [entry] = await list({ action: 'group.changed' })
  expect(entry).toEqual({
    id: expect.any(String),
    at: expect.any(String),
    action: 'group.changed',
    actor: { id: ada.id, name: 'Ada Lovelace' },
    target: { kind: 'group', id: 'g:1/x', name: null },
    before: { name: 'Old', roles: ['Passport.Developer'] },
    after: { name: 'New', roles: [] },
    names: {},
    pictures: {},
    reason: 'asked for',
    ip: '203.0.113.9',
    userAgent: { browser: 'curl', os: '', device: '' },
    traceId: visit.traceId,
    supportCode: '0AF7-6519',
  })
})

test('resolves the names of ids in before and after, as far as they exist', async () => {
  const [entry] = await list({ action: 'group.members-added' })
  expect(entry?.names).toEqual({ [eve.id]: 'Eve Moreau' })
  await record(service.sql, {
    action: 'org.member-removed',
    target: { kind: 'org', id: 'o1' },
    before: { members: { [eve.id]: 'member', gone: 'member' } },
  })
  const [removal] = await list({ action: 'org.member-removed' })
  expect(removal?.names).toEqual({ [eve.id]: 'Eve Moreau' })
})

test('shows a purged user by id, and a missing actor as null', async () => {
  expect((await list({ action: 'group.members-added' }))[0]).toMatchObject({ actor: { id: 'gone', name: 'gone' } })
  expect((await list({ action: 'key.rotated' }))[0]).toMatchObject({ actor: null, ip: null, userAgent: null })
  expect((await list({ action: 'user.disabled' }))[0]).toMatchObject({ target: { name: 'Eve Moreau' } })
})

test('filters by actor, action, action prefix, target, time, trace, and support code', async () => {
  expect(actionsOf(await list({ actor: 'gone' }))).toEqual(['group.members-added'])
  expect(actionsOf(await list({ action: 'group.' }))).toEqual(['group.members-added', 'group.changed'])
  expect(actionsOf(await list({ target: 'group:g:1/x' }))).toEqual(['group.members-added', 'group.changed'])
  expect(actionsOf(await list({ target: 'group:other' }))).toEqual([])
  expect(actionsOf(await list({ traceId: visit.traceId }))).toEqual(['group.changed'])
  for (const supportCode of ['0AF7-6519', '0af76519']) {
    expect(actionsOf(await list({ supportCode }))).toEqual(['group.changed'])
  }
  expect(actionsOf(await list({ supportCode: '4BF9-2F35' }))).toEqual([])
  const [{ at } = { at: '' }] = await list({ action: 'user.disabled' })
  expect(actionsOf(await list({ action: 'user.disabled', from: at }))).toEqual(['user.disabled'])
  expect(actionsOf(await list({ action: 'user.disabled', to: at }))).toEqual([])
  expect(await list({ from: '2999-01-01T00:00:00+02:00' })).toEqual([])
})

test('hides settings of the console, but no other preference', async () => {
  const save = (key: string) =>
    record(service.sql, {
      action: 'preference.saved',
      actorId: eve.id,
      target: { kind: 'preference', id: `${eve.id}/${key}` },
      after: { value: 'x' },
    })
  await save('Passport.Table.users')
  await save('MyApp.Passport.Theme')
  const targetsOf = (items: AuditEntry[]) => items.map(({ target }) => target.id)
  const keys = [`${eve.id}/MyApp.Passport.Theme`, `${eve.id}/Passport.Table.users`]
  expect(targetsOf(await list({ action: 'preference.' }))).toEqual(keys)
  expect(targetsOf(await list({ action: 'preference.', settings: 'hidden' }))).toEqual(keys.slice(0, 1))
  // An event without a target id is no setting.
  expect(actionsOf(await list({ action: 'key.', settings: 'hidden' }))).toContain('key.rotated')
})

test('pages list every event once, newest first, even if ids do not sort by time', async () => {
  const [ahead, behind] = ['ffffffff-0000-4000-8000-000000000000', '00000000-0000-4000-8000-000000000000']
  await service.sql`
    insert into audit_events (id, at, action, target_kind)
    select id, now() - interval '1 hour', 'audit.purged', 'audit' from unnest(${[ahead, behind]}::text[]) as id`
  const all = await list({ limit: 200 })
  const paged: AuditEntry[] = []
  let next: string | null = '/passport/admin/audit?limit=3'
  while (next) {
    const page = (await (await ada.fetch(next)).json()) as { items: AuditEntry[]; next: string | null }
    paged.push(...page.items)
    next = page.next
  }
  expect(paged).toEqual(all)
  const keys = all.map(({ at, id }) => `${at} ${id}`)
  expect(keys).toEqual([...keys].sort().reverse())
  expect(keys.slice(-2).map((key) => key.split(' ')[1])).toEqual([ahead, behind])
})

test('the next page keeps the filter', async () => {
  const { next } = await ada.call(listAuditEntries, { query: { action: 'group.', limit: 1 } })
  const page = (await (await ada.fetch(next ?? '')).json()) as { items: AuditEntry[] }
  expect(actionsOf(page.items)).toEqual(['group.changed'])
})

describe('a query', () => {
  test.for([
    ['limit', 'limit=x'],
    ['target', 'target=group'],
    ['action', 'action=group%25'],
    ['from', 'from=yesterday'],
    ['to', 'to=2026-11-21'],
    ['to', 'to=0000-01-01T00:00:00Z'],
    ['to', 'to=9999-12-31T23:59:59-23:00'],
    ['traceId', 'traceId=4bf9'],
    ['supportCode', 'supportCode=4BF9'],
    ['after', 'after=x'],
    ['after', `after=${Buffer.from('["0000-01-01T00:00:00.000Z","x"]').toString('base64url')}`],
    ['after', `after=${Buffer.from('["yesterday","x"]').toString('base64url')}`],
  ])('is rejected for an invalid %s: %s', async ([field, query]) => {
    const response = await ada.fetch(`/passport/admin/audit?${query}`)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ field }] })
  })
})

test('costs two statements besides the one that loads the caller, however many events there are', async () => {
  expect(await recordStatements(service.sql, () => ada.fetch('/passport/admin/audit?limit=200'))).toHaveLength(3)
})

describe('counts per day', () => {
  const insert = (at: string, action: string, id: string) => service.sql`
    insert into audit_events (id, at, action, actor_id, target_kind, target_id)
    values (${id}, ${at}, ${action}, 'counted', 'user', 'u1')`
  const count = (query: Partial<AuditFilter> & { zone?: string }) =>
    ada.call(countAuditEntries, { query: { actor: 'counted', to: '2024-04-01T00:00:00.000Z', ...query } })

  beforeAll(async () => {
    await insert('2024-03-30T12:00:00Z', 'signin.succeeded', 'c1')
    await insert('2024-03-30T23:30:00Z', 'signin.failed', 'c2')
    await insert('2024-03-31T01:30:00Z', 'user.disabled', 'c3')
    await insert('2023-12-01T12:00:00Z', 'user.disabled', 'c4')
  })

  test('use the time zone, include the failed sign-ins, and cover at most 92 days', async () => {
    expect(await count({})).toEqual([
      { day: '2024-03-30', events: 2, failed: 1 },
      { day: '2024-03-31', events: 1, failed: 0 },
    ])
    expect(await count({ zone: 'Europe/Berlin' })).toEqual([
      { day: '2024-03-30', events: 1, failed: 0 },
      { day: '2024-03-31', events: 2, failed: 1 },
    ])
  })

  test('cover only matching events', async () => {
    expect(await count({ action: 'user.' })).toEqual([{ day: '2024-03-31', events: 1, failed: 0 }])
    expect(await count({ from: '2024-03-31T01:00:00Z' })).toEqual([{ day: '2024-03-31', events: 1, failed: 0 }])
    expect(await count({ role: 'Passport.Admin' })).toEqual([])
  })

  test.for(['Nowhere/Land', '+01:00', 'UTC; drop'])('reject the time zone %s', async (zone) => {
    expect((await ada.fetch(`/passport/admin/audit/days?zone=${encodeURIComponent(zone)}`)).status).toBe(400)
  })
})
