import {
  type AuditEntry,
  exportAuditEntries,
  getAuditRetention,
  listAuditEntries,
  putAuditRetention,
} from '@passport/contract/audit'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { purge, record } from './store.ts'

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
})

const formula = '=HYPERLINK("http://evil.example";"a, b")'

test('the CSV export has no executable formulas', async () => {
  await record(service.sql, {
    action: 'group.changed',
    target: { kind: 'group', id: '@g' },
    reason: formula,
    after: { name: '=1' },
  })
  const response = await ada.fetch('/passport/admin/audit/export?action=group.')
  expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
  const [head, line, ...rest] = (await response.text()).split('\r\n')
  expect(head).toMatch(/^at,action,actor_id,actor,target_kind,target_id,target,before,after,reason,/)
  expect(line).toContain(
    `,group.changed,,,group,'@g,,,"{""name"":""=1""}","'=HYPERLINK(""http://evil.example"";""a, b"")",`,
  )
  expect(rest).toEqual([''])
})

test('the JSON export has all events, in the order of the pages', async () => {
  await service.sql`
    insert into audit_events (id, at, action, target_kind)
    select lpad(n::text, 6, '0'), now() - make_interval(secs => n / 7), 'key.rotated', 'key' from generate_series(1, 2500) n`
  const text = await ada.call(exportAuditEntries, { query: { format: 'json', action: 'key.rotated' } })
  const all = JSON.parse(text as unknown as string) as AuditEntry[]
  expect(all.length).toBeGreaterThanOrEqual(2500)
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length)
  const { items } = await ada.call(listAuditEntries, { query: { action: 'key.rotated', limit: 200 } })
  expect(all.slice(0, 200)).toEqual(items)
  const none = await ada.call(exportAuditEntries, { query: { format: 'json', actor: 'nobody' } })
  expect(JSON.parse(none as unknown as string)).toEqual([])
})

test('an export is recorded with its filter', async () => {
  const { items } = await ada.call(listAuditEntries, { query: { action: 'audit.exported' } })
  expect(items.at(-1)).toMatchObject({ actor: { id: ada.id }, after: { format: 'csv', filter: { action: 'group.' } } })
})

test('events are kept for the retention period of at least a year, and purges are recorded', async () => {
  expect(await ada.call(getAuditRetention, {})).toEqual({ days: 365 })
  for (const days of [364, 0, -1, 36_501, 365.5, '400', null]) {
    const rejected = await ada.fetch('/passport/admin/audit/retention', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ days }),
    })
    expect([days, rejected.status]).toEqual([days, 400])
  }
  expect(await ada.call(putAuditRetention, { body: { days: 500 } })).toEqual({ days: 500 })
  expect(await ada.call(getAuditRetention, {})).toEqual({ days: 500 })
  for (const days of [499, 501]) {
    await service.sql`
      insert into audit_events (id, at, action, target_kind) values
        (${`old-${days}`}, now() - make_interval(days => ${days}), 'signout', 'user')`
  }
  await purge(service.sql)
  const left = await service.sql`select id from audit_events where id like 'old-%'`
  expect(left.map(({ id }) => id)).toEqual(['old-499'])
  const [newest] = (await ada.call(listAuditEntries, { query: {} })).items
  expect(newest).toMatchObject({ action: 'audit.purged', actor: null, after: { events: 1, olderThanDays: 500 } })
  expect(newest?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(Number.parseInt(newest?.id.replace('-', '').slice(0, 12) ?? '', 16)).toBeCloseTo(Date.now(), -5)
})
