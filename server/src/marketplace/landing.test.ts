import { landingPath, listAwsRegistrations, tokenField } from '@passport/contract/marketplace'
import { type RunningAwsMarketplace, startAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { createCookies } from '../http/cookies.ts'
import { post as sendPost } from '../http/test-post.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'
import { readLandingForm } from './landing-form.ts'
import { findLiveRegistrations } from './registrations.ts'
import { setAwsVariables, withShortTimeouts } from './test-aws.ts'
import { addProducts, BuyerBrowser } from './test-landing.ts'

let aws: RunningAwsMarketplace
let service: TestService
beforeAll(async () => {
  aws = await startAwsMarketplace({
    fulfilmentUrl: 'http://localhost/unused',
    eventsUrl: 'http://localhost/unused',
    eventKey: 'unused',
    requestsPerSecond: 1000,
  })
  aws.setDelivery('held')
  onFileEnd(aws.stop)
  setAwsVariables(aws.environment)
  service = await startTestService({ AWS_MARKETPLACE_REGION: 'us-east-1' })
  await addProducts(service, aws.products)
})

const buy = (name = 'Stage Pro') => {
  const product = aws.products.find((candidate) => candidate.name === name)
  return aws.buy({ product: product?.code ?? '' })
}
const urlEncoded = 'application/x-www-form-urlencoded'
const post = (body: string | FormData, headers: Record<string, string> = {}, { url } = service) =>
  sendPost(url + landingPath, body, headers)
const postForm = (fields: Record<string, string>, headers: Record<string, string> = {}, at = service) =>
  post(new URLSearchParams(fields).toString(), { 'content-type': urlEncoded, ...headers }, at)
const readCode = async (response: Response) => {
  const { code } = (await response.json()) as { code: string }
  return [response.status, code]
}

describe('a landing is rejected', () => {
  const tooLong = `${tokenField}=${'x'.repeat(64 * 1024)}`

  test('for GET, with a page for browsers and a problem for others', async () => {
    const page = await fetch(service.url + landingPath, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([page.status, page.headers.get('allow'), page.headers.get('content-type')]).toEqual([
      405,
      'POST, OPTIONS',
      'text/html; charset=utf-8',
    ])
    expect(await page.text()).toContain('select “Set up your account”')
    expect(await readCode(await fetch(service.url + landingPath))).toEqual([405, 'method-not-allowed'])
  })

  test('for its content type before its size', async () => {
    for (const type of ['application/json', 'text/plain', 'application/xml'])
      expect(await readCode(await post(tooLong, { 'content-type': type }))).toEqual([415, 'unsupported-media-type'])
  })

  test('above 64 KiB, before its fields are read', async () => {
    const longest = `${tokenField}=&x=`
    const atLimit = longest + 'x'.repeat(64 * 1024 - longest.length)
    expect(await readCode(await post(tooLong, { 'content-type': urlEncoded }))).toEqual([413, 'too-large'])
    expect(await readCode(await post(`${atLimit}x`, { 'content-type': urlEncoded }))).toEqual([413, 'too-large'])
    expect(await readCode(await post(atLimit, { 'content-type': urlEncoded }))).toEqual([400, 'awsmp-token-missing'])
  })

  test('without a token, before a file is noticed', async () => {
    const form = new FormData()
    form.append('attachment', new Blob(['x']), 'x.txt')
    expect(await readCode(await post(form))).toEqual([400, 'awsmp-token-missing'])
    expect(await readCode(await postForm({ [tokenField]: '' }))).toEqual([400, 'awsmp-token-missing'])
    form.append(tokenField, 'a token')
    expect(await readCode(await post(form))).toEqual([400, 'awsmp-form-has-file'])
  })

  test('for a file before the server notices that AWS is not configured', async () => {
    const other = await startTestService()
    const form = new FormData()
    form.append(tokenField, new Blob(['a token']), 'token')
    expect(await readCode(await post(form, {}, other))).toEqual([400, 'awsmp-form-has-file'])
    const token = 't'.repeat(8192)
    expect(await readCode(await postForm({ [tokenField]: `${token}t` }, {}, other))).toEqual([
      400,
      'awsmp-token-invalid',
    ])
    expect(await readCode(await postForm({ [tokenField]: token }, {}, other))).toEqual([503, 'awsmp-not-configured'])
  })

  test('for a token that AWS does not know, and for an expired one', async () => {
    expect(await readCode(await postForm({ [tokenField]: 'unknown' }))).toEqual([400, 'awsmp-token-invalid'])
    const { token } = await buy()
    aws.expireToken(token)
    expect(await readCode(await postForm({ [tokenField]: token }))).toEqual([410, 'awsmp-token-expired'])
  })

  test('for an unknown product, and for a disabled one even with a token that has landed', async () => {
    const { token, landingForm } = await buy('Stage Trial')
    const setEnabled = (isEnabled: boolean) =>
      service.sql`update aws_products set enabled = ${isEnabled} where name = 'Stage Trial'`
    await service.sql`update aws_products set product_code = product_code || '-other' where name = 'Stage Trial'`
    expect(await readCode(await postForm({ [tokenField]: token }))).toEqual([409, 'awsmp-product-unknown'])
    await service.sql`update aws_products set product_code = replace(product_code, '-other', '')`
    await setEnabled(false)
    expect(await readCode(await postForm(landingForm.fields))).toEqual([409, 'awsmp-product-unknown'])
    await setEnabled(true)
    expect((await postForm(landingForm.fields)).status).toBe(200)
    await setEnabled(false)
    expect(await readCode(await postForm(landingForm.fields))).toEqual([409, 'awsmp-product-unknown'])
    await setEnabled(true)
  })

  test.for([
    ['throttle', 429, 'awsmp-throttled'],
    ['fail', 502, 'awsmp-unavailable'],
    ['close', 502, 'awsmp-unavailable'],
    ['garbage', 502, 'awsmp-unavailable'],
    ['disabled', 503, 'awsmp-not-configured'],
    ['denied', 503, 'awsmp-not-configured'],
  ] as const)('if AWS fails by “%s”', async ([fault, status, code]) => {
    const { token } = await buy()
    // The first request is repeated once.
    aws.failNext('ResolveCustomer', fault, status === 503 ? 1 : 2)
    const response = await postForm({ [tokenField]: token })
    expect(response.headers.get('retry-after')).toBe({ 429: '5', 503: '60' }[status as number] ?? null)
    expect(await readCode(response)).toEqual([status, code])
    expect((await postForm({ [tokenField]: token })).status).toBe(200)
  })

  test('if AWS does not respond within 10 s', async () => {
    const { token } = await buy()
    aws.failNext('ResolveCustomer', 'timeout', 2)
    const response = await withShortTimeouts(() => postForm({ [tokenField]: token }))
    expect(await readCode(response)).toEqual([502, 'awsmp-unavailable'])
    aws.clearFaults()
    expect((await postForm({ [tokenField]: token })).status).toBe(200)
  })

  test('over 20 a minute from one address', async () => {
    const limited = await startTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    const from = (address: string, headers = {}) =>
      postForm({}, { 'x-forwarded-for': address, ...headers }, limited).then(({ status }) => status)
    const statuses = await Promise.all(Array.from({ length: 21 }, () => from('198.51.100.7')))
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect(await from('198.51.100.8')).toBe(400)
    const headers = { 'x-forwarded-for': '198.51.100.7', 'sec-fetch-mode': 'navigate' }
    const redirected = await postForm({}, headers, limited)
    expect(redirected.headers.get('location')).toBe('/app/account/marketplace/error?code=too-many-requests')
  })
})

describe('a landing', () => {
  test('returns the registration to a script, with the last four digits of the account only', async () => {
    const { token, accountId } = await buy()
    const form = new FormData()
    form.append(tokenField, token)
    form.append('x-amzn-marketplace-offer-type', 'free-trial')
    form.append('x-amzn-marketplace-agreement-id', 'agmt-of-somebody-else')
    form.append('another-field', 'ignored')
    const response = await post(form)
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
    expect(await response.json()).toEqual({
      registrationId: expect.any(String),
      status: 'resolved',
      product: { id: expect.any(String), name: 'Stage Pro', productCode: 'stagepro1a2b3c4d5e6f7g8h9' },
      offerType: 'free-trial',
      customerAwsAccountId: `********${accountId.slice(-4)}`,
      expiresAt: expect.any(String),
    })
    const again = await postForm({ [tokenField]: token })
    expect(await again.json()).toMatchObject({ offerType: 'free-trial' })
  })

  test('redirects a browser to the page that continues, with a cookie for four hours', async () => {
    const { token } = await buy()
    const browser = new BuyerBrowser(service)
    const response = await browser.land({ [tokenField]: token })
    const [registration] = await browser.call(listAwsRegistrations, {})
    expect([response.status, response.headers.get('location')]).toEqual([
      303,
      `/app/account/marketplace?registration=${registration?.registrationId}`,
    ])
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^passport-mp=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=14400$/),
    ])
  })

  test('sets a secure cookie of this host over https', async () => {
    const variables = { PUBLIC_URL: 'https://id.example', AWS_MARKETPLACE_REGION: 'us-east-1' }
    const secure = await startTestService(variables, { sharedWith: service })
    const browser = new BuyerBrowser(secure, 'id.example')
    const response = await browser.land({ [tokenField]: (await buy()).token })
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-passport-mp=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=14400$/),
    ])
  })

  test.for([
    ['a frame', { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' }, 303],
    ['a script', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'empty' }, 200],
    ['a browser without fetch metadata', { accept: 'text/html' }, 303],
  ] as const)('sets no cookie for %s', async ([, headers, status]) => {
    const response = await postForm({ [tokenField]: (await buy()).token }, headers)
    expect([response.status, response.headers.getSetCookie()]).toEqual([status, []])
  })

  test('that fails explains it to a browser, and changes nothing', async () => {
    const browser = new BuyerBrowser(service)
    await browser.land({ [tokenField]: (await buy()).token })
    const before = browser.cookie
    for (const [fields, code] of [
      [{ [tokenField]: 'unknown' }, 'awsmp-token-invalid'],
      [{}, 'awsmp-token-missing'],
    ] as const) {
      const response = await browser.land(fields)
      expect([response.status, response.headers.get('location')]).toEqual([
        303,
        `/app/account/marketplace/error?code=${code}`,
      ])
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(browser.cookie).toBe(before)
    expect(await browser.call(listAwsRegistrations, {})).toHaveLength(1)
  })

  test('with the same token returns the same registration, and counts each browser once', async () => {
    const { token } = await buy()
    const land = async (browser: BuyerBrowser) =>
      (await browser.land({ [tokenField]: token }, { isCrossSite: false })).headers.get('location')
    const browsers = Array.from({ length: 6 }, () => new BuyerBrowser(service))
    const first = await land(browsers[0] as BuyerBrowser)
    expect(await land(browsers[0] as BuyerBrowser)).toBe(first)
    const others = await Promise.all(browsers.slice(1).map(land))
    expect(others.filter((location) => location === first)).toHaveLength(4)
    expect(others).toContain('/app/account/marketplace/error?code=awsmp-token-overused')
    expect(await land(browsers[0] as BuyerBrowser)).toBe(first)
  })

  test('raced with the same token makes one registration', async () => {
    const { token } = await buy()
    const all = await Promise.all(Array.from({ length: 8 }, () => postForm({ [tokenField]: token })))
    const bodies = (await Promise.all(all.map((response) => response.json()))) as { registrationId: string }[]
    expect(new Set(bodies.map(({ registrationId }) => registrationId)).size).toBe(1)
  })

  test('after the registration expired starts another one', async () => {
    const { token } = await buy()
    const browser = new BuyerBrowser(service)
    const first = await browser.land({ [tokenField]: token })
    await service.sql`update aws_registrations set expires_at = now() - interval '1 second'`
    expect(await browser.call(listAwsRegistrations, {})).toEqual([])
    const second = await browser.land({ [tokenField]: token })
    expect(second.headers.get('location')).not.toBe(first.headers.get('location'))
    expect(await browser.call(listAwsRegistrations, {})).toHaveLength(1)
  })
})

describe('the registrations of a browser', () => {
  const listIds = async (browser: BuyerBrowser) =>
    (await browser.call(listAwsRegistrations, {})).map(({ customerAwsAccountId }) => customerAwsAccountId.slice(-4))
  const lastFour = ({ accountId }: { accountId: string }) => accountId.slice(-4)

  test('are the last three', async () => {
    const browser = new BuyerBrowser(service)
    const purchases = [await buy(), await buy(), await buy(), await buy()]
    for (const { token } of purchases) await browser.land({ [tokenField]: token }, { isCrossSite: false })
    expect(await listIds(browser)).toEqual(purchases.slice(1).reverse().map(lastFour))
  })

  test('survive a landing that a foreign site submits, which arrives without cookies', async () => {
    const [own, foreign] = [await buy(), await buy()]
    const browser = new BuyerBrowser(service)
    await browser.land({ [tokenField]: own.token })
    expect(await listIds(browser)).toEqual([lastFour(own)])
    await browser.land({ [tokenField]: foreign.token })
    expect(await listIds(browser)).toEqual([foreign, own].map(lastFour))
    await browser.land({ [tokenField]: 'unknown' })
    expect(await listIds(browser)).toEqual([foreign, own].map(lastFour))
  })

  test('are not those of another browser, and an invented handle finds none', async () => {
    const browser = new BuyerBrowser(service)
    await browser.land({ [tokenField]: (await buy()).token })
    const other = new BuyerBrowser(service)
    expect(await listIds(other)).toEqual([])
    other.cookie = `passport-mp=${'x'.repeat(43)}`
    expect(await listIds(other)).toEqual([])
  })

  test('count as invitations while they are live', async () => {
    const purchase = await buy()
    const browser = new BuyerBrowser(service)
    await browser.land({ [tokenField]: purchase.token })
    const find = () => findLiveRegistrations(service.services, { cookies: createCookies(browser.cookie, false) })
    expect(await find()).toEqual([
      {
        id: expect.any(String),
        productName: 'Stage Pro',
        lastFour: lastFour(purchase),
        expiresAt: expect.any(String),
        userId: null,
      },
    ])
    await service.sql`update aws_registrations set expires_at = now() - interval '1 second'`
    expect(await find()).toEqual([])
  })

  test('are deleted a day after they expired', async () => {
    await buy().then(({ token }) => postForm({ [tokenField]: token }))
    const sweep = service.jobs.find(({ name }) => name === 'sweep')
    const count = async () => (await service.sql`select 1 from aws_registrations`).length
    await service.sql`update aws_registrations set expires_at = now() - interval '23 hours'`
    const before = await count()
    await sweep?.run()
    expect(await count()).toBe(before)
    await service.sql`update aws_registrations set expires_at = now() - interval '25 hours'`
    await sweep?.run()
    expect(await count()).toBe(0)
  })
})

test('neither tokens nor handles are stored in clear or logged', async () => {
  const { log } = service.services
  const lines: unknown[] = []
  for (const level of ['debug', 'info', 'warn', 'error'] as const)
    vi.spyOn(log, level).mockImplementation((...line: unknown[]) => void lines.push(line))
  vi.spyOn(log, 'isLevelEnabled').mockReturnValue(true)
  const { token } = await buy()
  const browser = new BuyerBrowser(service)
  const errorText = async (response: Response) => (await response.text()) + response.headers.get('location')
  aws.failNext('ResolveCustomer', 'fail', 2)
  const failed = await errorText(await postForm({ [tokenField]: token }))
  const landed = await errorText(await browser.land({ [tokenField]: token }))
  await browser.call(listAwsRegistrations, {})
  const expired = await buy()
  aws.expireToken(expired.token)
  const rejected = await errorText(await postForm({ [tokenField]: expired.token }))
  vi.restoreAllMocks()
  const handle = /passport-mp=([\w-]{43})/.exec(browser.cookie)?.[1] ?? 'none'
  expect(handle).not.toBe('none')
  const logged = lines.map((line) =>
    JSON.stringify(line, (_, value) => (value instanceof Error ? formatError(value) : value)),
  )
  expect(logged.join()).toContain(landingPath)
  const tables = await service.sql<{ name: string }[]>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`
  const dumps = await Promise.all(
    tables.map(({ name }) =>
      service.sql.unsafe(`select coalesce(string_agg(t::text, ' '), '') as text from "${name}" t`),
    ),
  )
  const stored = dumps.map(([row]) => row?.['text']).join()
  expect(stored).toContain('stagepro1a2b3c4d5e6f7g8h9')
  for (const [where, text] of Object.entries({ stored, logged: logged.join(), failed, landed, rejected }))
    for (const secret of [token, expired.token, handle, encodeURIComponent(token)])
      expect(text.includes(secret), `${where} has ${secret.slice(0, 8)}`).toBe(false)
})

const formatError = (error: Error): unknown => ({
  ...error,
  message: error.message,
  stack: error.stack,
  cause: String(error.cause),
})

test('the form of a landing is read for any fields', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 40 }), fc.string({ maxLength: 600 })),
      fc.string(),
      (fields, token) => {
        const form: Record<string, string> = { ...fields, [tokenField]: token }
        if (token === '') {
          expect(() => readLandingForm(form)).toThrow('no registration token')
          return
        }
        const claims = readLandingForm(form)
        expect(claims.token).toBe(token)
        expect(claims.offerType).toBe(
          form['x-amzn-marketplace-offer-type'] === 'free-trial' ? 'free-trial' : 'standard',
        )
        for (const hint of Object.values(claims.hints)) expect(hint.length).toBeLessThanOrEqual(256)
      },
    ),
  )
})

test('discovery reports whether buyers can come', async () => {
  const readFeature = async (at: TestService) =>
    ((await (await fetch(`${at.url}/passport/discovery`)).json()) as { features: { awsMarketplace: boolean } }).features
      .awsMarketplace
  const other = await startTestService()
  expect(await readFeature(other)).toBe(false)
  await addProducts(other, aws.products)
  expect(await readFeature(other)).toBe(false)
  expect(await readFeature(service)).toBe(true)
  await service.sql`update aws_products set enabled = false`
  expect(await readFeature(service)).toBe(false)
  await service.sql`update aws_products set enabled = true`
})
