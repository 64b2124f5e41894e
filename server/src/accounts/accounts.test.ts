import * as api from '@passport/contract/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from '../test-service.ts'
import { describeUserAgent } from './user-agent.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})

describe('sessions', () => {
  test('are listed with the one that asks marked, and can be ended one by one', async () => {
    const [here, there] = [await service.as('dev'), await service.as('dev')]
    const listed = await here.call(api.listSessions, {})
    expect(listed.filter(({ current }) => current)).toHaveLength(1)
    const other = listed.find(({ current }) => !current)
    expect(other).toMatchObject({ idp: 'local', ip: '127.0.0.1', userAgent: { browser: 'test' } })
    await here.call(api.revokeSession, { params: { id: other?.id ?? '' } })
    expect((await there.fetch('/passport/apphelper/user')).status).toBe(401)
    const again = here.call(api.revokeSession, { params: { id: other?.id ?? '' } })
    await expect(again).rejects.toMatchObject({ status: 404, body: { code: 'session-not-found' } })
  })

  test('of someone else look as if they were not there', async () => {
    const [ada, eve] = [await service.as('ada'), await service.as('eve')]
    const [adas] = await ada.call(api.listSessions, {})
    const theft = eve.call(api.revokeSession, { params: { id: adas?.id ?? '' } })
    await expect(theft).rejects.toMatchObject({ status: 404, body: { code: 'session-not-found' } })
    expect((await ada.fetch('/passport/apphelper/user')).status).toBe(200)
  })

  test('elsewhere can be ended together', async () => {
    const [here, ...elsewhere] = await Promise.all(Array.from({ length: 4 }, () => service.as('max')))
    expect(await here?.call(api.revokeOtherSessions, {})).toEqual({ revoked: 3 })
    for (const one of elsewhere) expect((await one.fetch('/passport/apphelper/user')).status).toBe(401)
    expect((await here?.fetch('/passport/apphelper/user'))?.status).toBe(200)
  })

  const age = (id: string, column: string, by: string) =>
    service.sql.unsafe(`update sessions set ${column} = ${column} - interval '${by}' where user_id = $1`, [id])

  test('end 12 hours after the person was there last, and after 7 days in any case', async () => {
    const eve = await service.as('eve')
    await age(eve.id, 'last_seen_at', '11 hours 59 minutes')
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(200)
    await age(eve.id, 'last_seen_at', '2 minutes')
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(401)
    const later = await service.as('eve')
    await age(later.id, 'expires_at', '7 days')
    expect((await later.fetch('/passport/apphelper/user')).status).toBe(401)
  })

  test('are kept alive by what the person does, not by the poll, and written at most once a minute', async () => {
    const ada = await service.as('ada')
    const seen = async () => {
      const [row] = await service.sql`select max(last_seen_at) as at from sessions where user_id = ${ada.id}`
      return String(row?.['at'])
    }
    await age(ada.id, 'last_seen_at', '30 minutes')
    const before = await seen()
    await ada.fetch('/passport/apphelper/user')
    expect(await seen()).toBe(before)
    await ada.fetch('/passport/account/sessions')
    const after = await seen()
    expect(after > before).toBe(true)
    await ada.fetch('/passport/account/sessions')
    expect(await seen()).toBe(after)
  })
})

test('activity is one’s own, newest first, page by page', async () => {
  const eve = await service.as('eve')
  const others = await service.as('dev')
  await others.call(api.revokeOtherSessions, {})
  for (let at = 0; at < 5; at++) {
    const [one] = [await service.as('eve')]
    const mine = (await one.call(api.listSessions, {})).find(({ current }) => current)
    await eve.call(api.revokeSession, { params: { id: mine?.id ?? '' } })
  }
  const all = await eve.call(api.listActivity, { query: { limit: 200 } })
  expect(all.next).toBeNull()
  expect(all.items.map(({ at }) => at)).toEqual(
    all.items
      .map(({ at }) => at)
      .toSorted()
      .reverse(),
  )
  expect(new Set(all.items.map(({ action }) => action))).toEqual(new Set(['session.revoked']))
  const collected: string[] = []
  for (let path: string | null = '/passport/account/activity?limit=2'; path; ) {
    const response = await eve.fetch(path)
    const page = (await response.json()) as { items: { id: string }[]; next: string | null }
    expect(response.headers.get('link')).toBe(page.next && `<${page.next}>; rel="next"`)
    collected.push(...page.items.map(({ id }) => id))
    path = page.next
  }
  expect(collected).toEqual(all.items.map(({ id }) => id))
})

test.for([
  ['', 'Unknown program', '', ''],
  ['curl/8.5.0', 'curl', '', ''],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox 131', 'Linux', 'desktop'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18',
    'iOS',
    'mobile',
  ],
] as const)('the program %j is told as %s on %s', ([header, browser, os, device]) => {
  expect(describeUserAgent(header)).toEqual({ browser, os, device })
})
