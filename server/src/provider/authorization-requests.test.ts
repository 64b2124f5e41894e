import { createTestBrowser } from '@passport/world/browser'
import * as client from 'openid-client'
import { describe, expect, test } from 'vitest'
import { demoPassword } from '../test-service.ts'
import { recordStatements } from '../test-statements.ts'
import { redirectUri, startShop } from './test-shop.ts'

const { service, shop, signIn, buildAuthorizationRequest, followAuthorization, signInToShop } = await startShop()
const { sql } = service

const count = async (kind: string) => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from provider_artifacts where issuer = 'passport' and kind = ${kind}`
  return row?.count ?? 0
}

/** Signs in with the form of an authorization request; returns the URL that continues the request. */
async function signInForRequest(name: string) {
  const { url, checks } = await buildAuthorizationRequest()
  const browser = createTestBrowser(service.url)
  const page = await browser.open(url)
  const read = (pattern: RegExp) => pattern.exec(page.text)?.[1] ?? ''
  const body = new URLSearchParams({ name, password: demoPassword, seal: read(/name="seal" value="([^"]*)"/) })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  let response = await browser.send(read(/action="([^"]*)"/), { method: 'POST', headers, body: body.toString() })
  while (!response.headers.get('location')?.includes('/connect/authorize/'))
    response = await browser.send(response.headers.get('location') ?? '')
  return { browser, checks, resumeUrl: response.headers.get('location') ?? '' }
}

describe('an interaction', () => {
  test('continued 16 times at once issues one code, which is bound to the session of the browser', async () => {
    for (const name of ['ada', 'dev', 'eve']) {
      const { browser, checks, resumeUrl } = await signInForRequest(name)
      const before = [await count('AuthorizationCode'), await count('Grant'), await count('Session')]
      const responses = await Promise.all(Array.from({ length: 16 }, () => browser.send(resumeUrl)))
      const winners = responses.filter(({ headers }) => headers.get('location')?.startsWith(redirectUri))
      expect(winners).toHaveLength(1)
      expect(winners[0]?.headers.get('location')).toContain('code=')
      expect(responses.filter(({ status }) => status === 400)).toHaveLength(15)
      const after = [await count('AuthorizationCode'), await count('Grant'), await count('Session')]
      expect(after).toEqual(before.map((number) => number + 1))
      const tokens = await client.authorizationCodeGrant(
        shop,
        new URL(winners[0]?.headers.get('location') ?? ''),
        checks,
      )
      const { id } = await service.as(name as 'ada')
      expect(tokens.claims()?.sub).toBe(id)
      const [bound] = await sql`
        select s.id, g.login_id = s.login_id as is_login, g.browser_id = s.browser_id as is_browser
        from sessions s join provider_artifacts p on p.uid = s.provider_session
        join provider_artifacts g on g.kind = 'Grant' and g.account_id = p.account_id
        where s.user_id = ${id} and p.account_id = ${id}`
      expect(bound).toMatchObject({ isLogin: true, isBrowser: true })
    }
  })

  test('continued a second time is refused, and keeps the code of the first', async () => {
    const { browser, checks, resumeUrl } = await signInForRequest('ada')
    const location = (await browser.send(resumeUrl)).headers.get('location') ?? ''
    expect((await browser.send(resumeUrl)).status).toBe(400)
    await client.authorizationCodeGrant(shop, new URL(location), checks)
  })
})

describe('the cost of a code', () => {
  test('for a signed-in browser is four statements, with the tokens', async () => {
    const browser = await signIn('ada')
    await signInToShop(browser)
    const statements = await recordStatements(sql, () => signInToShop(browser))
    expect(statements.length).toBeLessThanOrEqual(4)
  })

  test('for a signed-in browser extends its session once an hour', async () => {
    const browser = await signIn('dev')
    await signInToShop(browser)
    const readSession = async () => {
      const [row] = await sql<{ expiresAt: string; exp: number }[]>`
        select p.expires_at, (p.payload ->> 'exp')::integer as exp from provider_artifacts p
        join sessions s on s.provider_session = p.uid join users u on u.id = s.user_id
        where u.username = 'dev' order by s.created_at desc limit 1`
      return row
    }
    const first = await readSession()
    await signInToShop(browser)
    expect(await readSession()).toEqual(first)
    await sql`
      update provider_artifacts set expires_at = expires_at - interval '2 hours',
        payload = jsonb_set(payload, '{exp}', to_jsonb((payload ->> 'exp')::integer - 7200))
      where kind = 'Session'`
    await signInToShop(browser)
    expect((await readSession())?.exp).toBeGreaterThanOrEqual(first?.exp ?? Number.POSITIVE_INFINITY)
  })

  test('does not depend on what the browser sends: an unknown session costs no more', async () => {
    const { url } = await buildAuthorizationRequest({ prompt: 'none' })
    const browser = await signIn('ada')
    await signInToShop(browser)
    browser.setCookie('passport', 'gone')
    const statements = await recordStatements(sql, async () => {
      expect((await followAuthorization(browser, url)).searchParams.get('error')).toBe('login_required')
    })
    expect(statements.length).toBeLessThanOrEqual(3)
  })
})
