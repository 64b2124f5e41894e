import { createTestBrowser, type ShownPage, type TestBrowser } from '@passport/world/browser'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { demoPassword, startTestService, type TestService } from '../test-service.ts'
import { add, remove } from './store.ts'

let service: TestService
beforeAll(async () => {
  service = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
})
afterEach(() => {
  vi.useRealTimers()
})

const minuteMs = 60 * 1000
const readErrorMessage = (page: ShownPage) => /role="alert"[^>]*>([^<]*)</.exec(page.text)?.[1]

async function tryPassword(browser: TestBrowser, name: string, password: string) {
  return browser.submit(await browser.open('/login'), { name, password })
}

/** Creates a browser with this IP address, because failures are counted by network. */
const createBrowserAt = (ip: string) => createTestBrowser(service.url, { 'x-forwarded-for': ip })

describe('the form', () => {
  test('works without scripts, loads only the one that shows the password, and submits only to this server', async () => {
    const browser = createTestBrowser(service.url)
    const page = await browser.open('/login')
    expect(page.text.match(/<script[^>]*>/g)).toEqual(['<script src="/idp/show-password.js" defer>'])
    expect(page.text).toMatch(/<button id="show-password"[^>]* hidden>/)
    const script = await browser.send('/idp/show-password.js')
    expect([script.status, script.headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; form-action 'self';")
  })

  test('offers the demo users, each with a link that fills in the name', async () => {
    const browser = createTestBrowser(service.url)
    const page = await browser.open('/login')
    const links = [...page.text.matchAll(/<a href="(\/idp\/login\/[^"]+\?name=\w+)">(\w+)<\/a>/g)]
    expect(links.map(([, , name]) => name)).toEqual(['ada', 'dev', 'eve', 'max'])
    const filled = await browser.open(links[2]?.[1] ?? '')
    expect(filled.text).toContain('name="name" value="eve"')
    expect((await browser.submit(filled, { name: 'eve', password: demoPassword })).url).toContain('/app/login')
  })

  test('offers a demo user as soon as one is added, until they are removed', async () => {
    const listOffered = async () =>
      [...(await createTestBrowser(service.url).open('/login')).text.matchAll(/\?name=(\w+)"/g)].map(([, name]) => name)
    const person = { name: 'zoe', displayName: 'Zoe', email: 'zoe@stage.example', passwordHash: 'x', isDemoUser: true }
    const id = await add(service.sql, person)
    await expect.poll(listOffered).toContain('zoe')
    await remove(service.sql, [id])
    await expect.poll(listOffered).toEqual(['ada', 'dev', 'eve', 'max'])
  })

  test('is rejected with a forged seal', async () => {
    const browser = createTestBrowser(service.url)
    const page = await browser.open('/login')
    const forged = { ...page, text: page.text.replace(/name="seal" value="[^"]*"/, 'name="seal" value="forged"') }
    expect((await browser.submit(forged, { name: 'ada', password: demoPassword })).text).toContain(
      'This sign-in has expired',
    )
  })

  test('is rejected from another site', async () => {
    const browser = createTestBrowser(service.url)
    const page = await browser.open('/login')
    const response = await browser.send(/action="([^"]+)"/.exec(page.text)?.[1] ?? '', {
      method: 'POST',
      body: 'name=ada',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    })
    const text = await response.text()
    expect([response.status, text]).toEqual([403, expect.stringContaining('<h1>This is not allowed</h1>')])
    expect(text).toContain('403 Forbidden')
    expect(text).not.toContain('Try again')
  })

  test('can be cancelled', async () => {
    const browser = createTestBrowser(service.url)
    const page = await browser.submit(await browser.open('/login'), { cancel: 'yes' })
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('Sign-in was cancelled')])
  })
})

describe('a wrong password', () => {
  test('gets the same response for known and unknown names, at the same cost', async () => {
    const browser = createTestBrowser(service.url)
    const cost = { known: [] as number[], unknown: [] as number[] }
    const texts = new Set<string | undefined>()
    for (let round = 0; round < 4; round++) {
      for (const [kind, name] of [
        ['known', 'eve'],
        ['unknown', `nobody${round}`],
      ] as const) {
        const form = await browser.open('/login')
        const before = process.cpuUsage()
        const page = await browser.submit(form, { name, password: 'wrong' })
        const { user, system } = process.cpuUsage(before)
        cost[kind].push(user + system)
        texts.add(readErrorMessage(page))
        expect(page.status).toBe(401)
      }
    }
    expect([...texts]).toEqual(['Wrong username or password.'])
    // Without the same work, an unknown name would take a fraction of the CPU time, which other processes do not
    // affect.
    expect(Math.min(...cost.unknown)).toBeGreaterThan(Math.min(...cost.known) / 2)
  })

  test('makes the server look up an account for known and unknown names', async () => {
    const browser = createTestBrowser(service.url)
    const attempts = await Promise.all(
      ['eve', 'nobody'].map(async (name) => ({ form: await browser.open('/login'), name })),
    )
    const countWaiting = async () => {
      const [row] = await service.sql`
        select count(*)::integer as waiting from pg_locks where relation = 'logins'::regclass and not granted`
      return row?.['waiting']
    }
    const { pages } = await service.sql.begin(async (sql) => {
      await sql`lock table logins`
      const pages = Promise.all(attempts.map(({ form, name }) => browser.submit(form, { name, password: 'wrong' })))
      await expect.poll(countWaiting).toBe(2)
      return { pages }
    })
    expect((await pages).map(({ status }) => status)).toEqual([401, 401])
  })

  test('is shown in the activity of the account', async () => {
    await tryPassword(createTestBrowser(service.url), 'dev', 'wrong')
    const dev = await service.as('dev')
    const response = await dev.fetch('/passport/account/activity')
    expect(await response.json()).toMatchObject({
      items: [{ action: 'directory.password-refused', idp: 'local', reason: 'password-wrong' }],
    })
  })
})

describe('after 10 wrong passwords', () => {
  test('the name is locked for 15 minutes for that network, and not for others', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const guesser = createBrowserAt('198.51.100.7')
    for (let guess = 0; guess < 10; guess++)
      expect(readErrorMessage(await tryPassword(guesser, 'ada', 'wrong'))).toContain('Wrong username or password')
    expect(readErrorMessage(await tryPassword(guesser, 'ada', demoPassword))).toBe(
      'Too many wrong passwords. Try again in 15 minutes.',
    )
    expect(readErrorMessage(await tryPassword(createBrowserAt('198.51.100.200'), 'ada', demoPassword))).toContain(
      'Too many',
    )
    expect((await tryPassword(createBrowserAt('203.0.113.1'), 'ada', demoPassword)).url).toContain('/app/login')

    vi.setSystemTime(Date.now() + 14 * minuteMs)
    expect(readErrorMessage(await tryPassword(guesser, 'ada', demoPassword))).toBe(
      'Too many wrong passwords. Try again in 60 seconds.',
    )
    vi.setSystemTime(Date.now() + 2 * minuteMs)
    expect((await tryPassword(guesser, 'ada', demoPassword)).url).toContain('/app/login')
    const [locked] =
      await service.sql`select count(*)::integer as times from audit_events where action = 'directory.locked'`
    expect(locked?.['times']).toBe(1)
  })

  test('an unknown name is locked too', async () => {
    const guesser = createBrowserAt('198.51.101.7')
    for (let guess = 0; guess < 10; guess++) await tryPassword(guesser, 'nobody', 'wrong')
    expect(readErrorMessage(await tryPassword(guesser, 'nobody', 'wrong'))).toContain('Too many')
  })

  test('concurrent guesses cannot exceed the limit, and record one lock in the audit log', async () => {
    const countLocks = async () => (await service.sql`select from audit_events where action = 'directory.locked'`).count
    const locks = await countLocks()
    const guessers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = createBrowserAt('198.51.102.7')
        return { browser, form: await browser.open('/login') }
      }),
    )
    const pages = await Promise.all(
      guessers.map(({ browser, form }) => browser.submit(form, { name: 'max', password: 'wrong' })),
    )
    const checked = pages.filter((page) => readErrorMessage(page)?.includes('Wrong username or password'))
    expect(checked).toHaveLength(10)
    expect(await countLocks()).toBe(locks + 1)
  })

  test('a device with an earlier sign-in of the user is not locked out', async () => {
    const home = createBrowserAt('198.51.103.7')
    await tryPassword(home, 'eve', demoPassword)
    const neighbour = createBrowserAt('198.51.103.8')
    for (let guess = 0; guess < 11; guess++) await tryPassword(neighbour, 'eve', 'wrong')
    expect(readErrorMessage(await tryPassword(neighbour, 'eve', demoPassword))).toContain('Too many')
    const form = await home.open('/login?prompt=login')
    expect((await home.submit(form, { name: 'eve', password: demoPassword })).url).toContain('/app/login')
  })
})

test('a network that tries many names is locked for all of them, except for known devices', async () => {
  const home = createBrowserAt('198.51.104.7')
  await tryPassword(home, 'dev', demoPassword)
  const guesser = createBrowserAt('198.51.104.8')
  await tryPassword(guesser, 'guess', 'wrong')
  await service.sql`update rate_limits set points = 98 where key = 'password-network:198.51.104.0/24'`
  expect((await tryPassword(createBrowserAt('198.51.104.9'), 'eve', demoPassword)).url).toContain('/app/login')
  for (const name of ['one', 'other'])
    expect(readErrorMessage(await tryPassword(guesser, name, 'wrong'))).toContain('Wrong username or password')
  expect(readErrorMessage(await tryPassword(guesser, 'max', demoPassword))).toBe(
    'Too many wrong passwords. Try again in 15 minutes.',
  )
  expect((await tryPassword(createBrowserAt('198.51.105.8'), 'max', demoPassword)).url).toContain('/app/login')
  const form = await home.open('/login?prompt=login')
  expect((await home.submit(form, { name: 'dev', password: demoPassword })).url).toContain('/app/login')
})

test('an IPv6 /48 is locked after 20 times the wrong passwords of one network', async () => {
  const from = (network: number) => createBrowserAt(`2001:db8:7:${network}::1`)
  await tryPassword(from(1), 'guess', 'wrong')
  await service.sql`update rate_limits set points = 1999 where key = 'password-network:2001:db8:7::/48'`
  expect(readErrorMessage(await tryPassword(from(2), 'one', 'wrong'))).toContain('Wrong username or password')
  expect(readErrorMessage(await tryPassword(from(3), 'max', demoPassword))).toContain('Too many wrong passwords')
  expect((await tryPassword(createBrowserAt('2001:db8:8::1'), 'max', demoPassword)).url).toContain('/app/login')
})

test('a name is case-insensitive, and is not accepted as its own password', async () => {
  expect((await tryPassword(createTestBrowser(service.url), ' DEV ', demoPassword)).url).toContain('/app/login')
  expect(readErrorMessage(await tryPassword(createTestBrowser(service.url), 'dev', 'dev'))).toContain(
    'Wrong username or password',
  )
})

test('too many concurrent sign-ins are rejected with 503', async () => {
  const forms = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const browser = createBrowserAt(`198.51.${110 + index}.1`)
      return { browser, form: await browser.open('/login') }
    }),
  )
  const pages = await Promise.all(
    forms.map(({ browser, form }, index) => browser.submit(form, { name: `crowd${index}`, password: 'x' })),
  )
  const statuses = pages.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([401, 503]))
  expect(pages.find(({ status }) => status === 503)?.text).toContain('Too many concurrent sign-ins')
})
