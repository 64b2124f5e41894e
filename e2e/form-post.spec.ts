import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test as base, expect, expectAccessible } from './fixtures.ts'
import { startPassport } from './passport.ts'

/** An application that receives form posts, recorded with their origins. */
interface Application {
  redirectUri: string
  received: { origin: string | undefined; form: URLSearchParams }[]
}

const test = base.extend<Record<never, never>, { application: Application }>({
  application: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const received: Application['received'] = []
      const server = createServer(async (request, response) => {
        const body = Buffer.concat(await request.toArray()).toString()
        if (request.method === 'POST')
          received.push({ origin: request.headers.origin, form: new URLSearchParams(body) })
        response
          .setHeader('Content-Type', 'text/html')
          .end('<!doctype html><title>Shop</title><h1>Welcome to the shop</h1>')
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      await use({ redirectUri: `http://127.0.0.1:${port}/callback`, received })
      server.closeAllConnections()
      server.close()
    },
    { scope: 'worker' },
  ],
  passport: [
    async ({ application }, use) => {
      const client = {
        clientId: 'shop',
        clientName: 'Shop',
        clientSecret: 'shop-client-secret-of-the-browser-tests',
      }
      const passport = await startPassport({
        CLIENTS: JSON.stringify([{ ...client, redirectUris: [application.redirectUri] }]),
      })
      await use(passport)
      await passport.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
// One worker starts the server for all tests of this file.
test.describe.configure({ mode: 'default' })

const buildAuthorizationPath = ({ redirectUri }: Application, parameters: Record<string, string> = {}) =>
  `/connect/authorize?${new URLSearchParams({
    client_id: 'shop',
    redirect_uri: redirectUri,
    response_type: 'code',
    response_mode: 'form_post',
    scope: 'openid',
    state: 'the "state" & more',
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
    ...parameters,
  })}`

test('response_mode=form_post sends the code to the application', async ({ as, application, passport }) => {
  const page = await as('ada')
  await page.goto(buildAuthorizationPath(application))
  await expect(page.getByRole('heading', { name: 'Welcome to the shop' })).toBeVisible()
  expect(page.url()).toBe(application.redirectUri)
  const { origin, form } = application.received.at(-1) ?? {}
  expect([origin, form?.get('state'), form?.get('iss')]).toEqual([passport.url, 'the "state" & more', passport.url])
  const tokenResponse = await page.request.post('/connect/token', {
    form: {
      grant_type: 'authorization_code',
      client_id: 'shop',
      client_secret: 'shop-client-secret-of-the-browser-tests',
      code: form?.get('code') ?? '',
      redirect_uri: application.redirectUri,
      code_verifier: 'v'.repeat(43),
    },
  })
  expect(tokenResponse.status()).toBe(200)
})

test('without JavaScript, a focused button sends the code', async ({ as, application }) => {
  const page = await as('eve', { javaScriptEnabled: false })
  await page.goto(buildAuthorizationPath(application))
  await expect(page.getByRole('button', { name: 'Continue' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Welcome to the shop' })).toBeVisible()
  expect(application.received.at(-1)?.form.get('code')).toMatch(/^[\w-]{43}$/)
})

test('the page with the button is accessible', async ({ as, application }) => {
  const page = await as('dev')
  await page.route('**/connect/formpost.js', (route) => route.fulfill({ contentType: 'text/javascript', body: '' }))
  await page.goto(buildAuthorizationPath(application))
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
  await expectAccessible(page)
})

test('sends an error response by form post too', async ({ page, passport, application }) => {
  await page.goto(passport.url + buildAuthorizationPath(application, { prompt: 'none' }))
  await expect(page.getByRole('heading', { name: 'Welcome to the shop' })).toBeVisible()
  expect(application.received.at(-1)?.form.get('error')).toBe('login_required')
})

test('accepts an authorization request that another site posts, with the session of the user', async ({
  as,
  application,
  passport,
}) => {
  const page = await as('ada')
  await page.goto(application.redirectUri)
  await page.evaluate(
    (url) => {
      const { origin, pathname, searchParams } = new URL(url)
      const form = Object.assign(document.createElement('form'), { method: 'post', action: origin + pathname })
      for (const [name, value] of searchParams)
        form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value }))
      document.body.append(form)
      form.submit()
    },
    passport.url + buildAuthorizationPath(application, { response_mode: 'query', prompt: 'none' }),
  )
  await expect(page).toHaveURL(/[?&]code=[\w-]{43}/)
})
