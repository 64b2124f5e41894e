import * as api from '@passport/contract/accounts'
import { createPersonalToken } from '@passport/contract/personal-tokens'
import { beforeAll, describe, expect, test } from 'vitest'
import { describeUserAgent } from '../http/user-agent.ts'
import { startTestService, type TestService } from '../test-service.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService()
})

describe('sessions', () => {
  test('are listed with the current one marked, and can be revoked one by one', async () => {
    const [here, there] = [await service.as('dev'), await service.as('dev')]
    const listed = await here.call(api.listSessions, {})
    expect(listed.filter(({ current }) => current)).toHaveLength(1)
    const otherSession = listed.find(({ current }) => !current)
    expect(otherSession).toMatchObject({ idp: 'local', ip: '127.0.0.1', userAgent: { browser: 'test' } })
    await here.call(api.revokeSession, { params: { id: otherSession?.id ?? '' }, query: {} })
    expect((await there.fetch('/passport/apphelper/user')).status).toBe(401)
    const again = here.call(api.revokeSession, { params: { id: otherSession?.id ?? '' }, query: {} })
    await expect(again).rejects.toMatchObject({ status: 404, body: { code: 'session-not-found' } })
  })

  test('are revoked with the personal tokens of their browser on request, and report those that stay', async () => {
    const { sql } = service
    const here = await service.as('dev')
    const createInBrowser = async (browserId: string) => {
      const there = await service.as('dev')
      const sessionId = (await there.call(api.listSessions, {})).find(({ current }) => current)?.id ?? ''
      await sql`update sessions set browser_id = ${browserId} where id = ${sessionId}`
      const { value } = await there.call(createPersonalToken, {
        body: { name: browserId, scopes: ['api_vertex_core'], expiresInDays: 30 },
      })
      const read = () =>
        fetch(`${service.url}/passport/apphelper/user`, { headers: { authorization: `Bearer ${value}` } })
      return { sessionId, isValid: async () => (await read()).status === 200 }
    }
    const [first, second] = [await createInBrowser('first'), await createInBrowser('second')]
    const revoke = (id: string, query: { withPersonalTokens?: string }) =>
      here.call(api.revokeSession, { params: { id }, query })
    expect(await revoke(first.sessionId, {})).toEqual({ personalTokensLeft: 1 })
    expect(await revoke(second.sessionId, { withPersonalTokens: 'true' })).toEqual({ personalTokensLeft: 0 })
    expect([await first.isValid(), await second.isValid()]).toEqual([true, false])
    const [event] = await sql`
      select before from audit_events where action = 'session.revoked' and before ->> 'session' = ${second.sessionId}`
    expect(event).toMatchObject({ before: { personalTokens: [expect.stringMatching(/^psp_/)] } })
  })

  test('of other users are reported as missing', async () => {
    const [ada, eve] = [await service.as('ada'), await service.as('eve')]
    const [adaSession] = await ada.call(api.listSessions, {})
    const attempt = eve.call(api.revokeSession, { params: { id: adaSession?.id ?? '' }, query: {} })
    await expect(attempt).rejects.toMatchObject({ status: 404, body: { code: 'session-not-found' } })
    expect((await ada.fetch('/passport/apphelper/user')).status).toBe(200)
  })

  test('in other browsers can be revoked together', async () => {
    const [here, ...otherBrowsers] = await Promise.all(Array.from({ length: 4 }, () => service.as('max')))
    expect(await here?.call(api.revokeOtherSessions, {})).toEqual({ revoked: 3 })
    for (const browser of otherBrowsers) expect((await browser.fetch('/passport/apphelper/user')).status).toBe(401)
    expect((await here?.fetch('/passport/apphelper/user'))?.status).toBe(200)
  })

  const age = (id: string, column: string, interval: string) =>
    service.sql.unsafe(`update sessions set ${column} = ${column} - interval '${interval}' where user_id = $1`, [id])

  test('end 12 hours after the last activity, and after 7 days in any case', async () => {
    const eve = await service.as('eve')
    await age(eve.id, 'last_seen_at', '11 hours 59 minutes')
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(200)
    await age(eve.id, 'last_seen_at', '2 minutes')
    expect((await eve.fetch('/passport/apphelper/user')).status).toBe(401)
    const later = await service.as('eve')
    await age(later.id, 'expires_at', '7 days')
    expect((await later.fetch('/passport/apphelper/user')).status).toBe(401)
  })

  test('are extended by activity, not by polling, with at most one write per minute', async () => {
    const ada = await service.as('ada')
    const readLastSeen = async () => {
      const [row] = await service.sql`select max(last_seen_at) as at from sessions where user_id = ${ada.id}`
      return String(row?.['at'])
    }
    await age(ada.id, 'last_seen_at', '30 minutes')
    const before = await readLastSeen()
    await ada.fetch('/passport/apphelper/user')
    expect(await readLastSeen()).toBe(before)
    await ada.fetch('/passport/account/sessions')
    const after = await readLastSeen()
    expect(after > before).toBe(true)
    await ada.fetch('/passport/account/sessions')
    expect(await readLastSeen()).toBe(after)
  })
})

test('activity lists the caller’s own events, newest first, page by page', async () => {
  const eve = await service.as('eve')
  const dev = await service.as('dev')
  await dev.call(api.revokeOtherSessions, {})
  for (let index = 0; index < 5; index++) {
    const browser = await service.as('eve')
    const session = (await browser.call(api.listSessions, {})).find(({ current }) => current)
    await eve.call(api.revokeSession, { params: { id: session?.id ?? '' }, query: {} })
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
  ['', 'Unknown client', '', ''],
  ['curl/8.5.0', 'curl', '', ''],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0', 'Firefox 131', 'Linux', 'desktop'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18',
    'iOS',
    'mobile',
  ],
] as const)('parses the user agent %j as %s on %s', ([header, browser, os, device]) => {
  expect(describeUserAgent(header)).toEqual({ browser, os, device })
})
