import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '@passport/world/port'
import { test as base, expect, type Page } from '@playwright/test'
import { type Passport, startPassport } from '../passport.ts'
import { type Command, install } from './install.ts'

/**
 * Signs a user in to applications that use other libraries for OpenID Connect with the defaults of each. `npm run interop`
 * installs them and runs these tests.
 */

interface Client {
  name: string
  /** The settings of the application at Passport that the defaults of its library require. */
  settings?: Record<string, unknown>
  callbackPath?: string
  /** The path that receives logout tokens, if the library handles them. */
  backChannelPath?: string
  /** The application, where it differs from the five others, which are alike. */
  app?: App
}

/** What a visitor does with an application, over its own HTTP interface. */
interface App {
  loginPath: string
  /** Returns the path that signs out of the application and of Passport. */
  logoutPath: (url: string) => string
  /** Returns the claims of the signed-in user; undefined without one. */
  readUser: (page: Page, url: string) => Promise<Record<string, unknown> | undefined>
  readUserInfo: (page: Page, url: string) => Promise<Record<string, unknown>>
  /** Refreshes, and reports whether there is a new access token. */
  refresh: (page: Page, url: string) => Promise<boolean>
}

async function readJson(page: Page, url: string) {
  const response = await page.request.get(url)
  expect(response.status(), `${url}: ${await response.text()}`).toBe(200)
  return response.json()
}

const ownApp: App = {
  loginPath: '/login',
  logoutPath: () => '/logout',
  readUser: async (page, url) => {
    const response = await page.request.get(`${url}/me`)
    return response.status() === 401 ? undefined : response.json()
  },
  readUserInfo: (page, url) => readJson(page, `${url}/userinfo`),
  refresh: async (page, url) => (await readJson(page, `${url}/refresh`)).isNew,
}

/** The module answers below its redirect URI: https://github.com/OpenIDC/mod_auth_openidc/wiki */
const apache: App = {
  loginPath: '/me/',
  logoutPath: (url) => `/me/callback?logout=${encodeURIComponent(`${url}/`)}`,
  readUser: async (page, url) => {
    const response = await page.request.get(`${url}/me/callback?info=json`)
    return response.status() === 401 ? undefined : (await response.json()).id_token
  },
  readUserInfo: async (page, url) => (await readJson(page, `${url}/me/callback?info=json`)).userinfo,
  refresh: async (page, url) => {
    const readToken = async () => (await readJson(page, `${url}/me/callback?info=json`)).access_token
    const before = await readToken()
    const query = new URLSearchParams({ refresh: `${url}/`, access_token: before })
    await page.goto(`${url}/me/callback?${query}`)
    return (await readToken()) !== before
  },
}

const clients: Client[] = [
  {
    name: 'express-openid-connect',
    settings: { idTokenSigningAlg: 'RS256' },
    backChannelPath: '/backchannel-logout',
  },
  { name: 'passport-openidconnect', settings: { pkce: 'optional' } },
  { name: 'openid-client' },
  { name: 'authlib', settings: { pkce: 'optional' } },
  {
    name: 'mod-auth-openidc',
    settings: { pkce: 'optional' },
    callbackPath: '/me/callback',
    backChannelPath: '/me/callback?logout=backchannel',
    app: apache,
  },
  { name: 'go-oidc', settings: { pkce: 'optional' }, backChannelPath: '/backchannel-logout' },
]

interface World {
  passport: Passport
  /** The URL of each application, without a trailing slash. */
  urls: Map<string, string>
}

const test = base.extend<object, { world: World }>({
  world: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const urls = new Map<string, string>()
      for (const { name } of clients) urls.set(name, `http://localhost:${await findFreePort()}`)
      const registered = clients.map(({ name, settings, callbackPath = '/callback', backChannelPath }) => ({
        clientId: name,
        clientName: name,
        clientSecret: `the-secret-of-${name}-in-these-tests`,
        redirectUris: [urls.get(name) + callbackPath],
        postLogoutRedirectUris: [`${urls.get(name)}/`, urls.get(name)],
        ...(backChannelPath && { backchannelLogoutUri: urls.get(name) + backChannelPath }),
        ...settings,
      }))
      const passport = await startPassport({ CLIENTS: JSON.stringify(registered) })
      const apps: { stop: () => Promise<void> }[] = []
      try {
        for (const { clientId, clientSecret } of registered)
          apps.push(await startApp(install(clientId), urls.get(clientId) ?? '', passport.url, clientId, clientSecret))
        await use({ passport, urls })
      } finally {
        for (const app of apps) await app.stop()
        await passport.stop()
      }
    },
    { scope: 'worker', timeout: 600_000 },
  ],
})

async function startApp(command: Command, url: string, issuer: string, clientId: string, clientSecret: string) {
  const directory = mkdtempSync(join(tmpdir(), 'passport-interop-'))
  chmodSync(directory, 0o755)
  mkdirSync(join(directory, 'public'))
  writeFileSync(join(directory, 'public/index.html'), 'home')
  const child = spawn(command.file, command.args, {
    cwd: command.directory,
    env: {
      PATH: process.env['PATH'],
      ISSUER: issuer,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      PORT: new URL(url).port,
      DIRECTORY: directory,
      ...command.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const exited = new Promise((resolve) => child.once('close', resolve))
  const stop = async () => {
    child.kill('SIGTERM')
    await exited
    rmSync(directory, { recursive: true, force: true })
  }
  const isReady = () =>
    fetch(url).then(
      () => true,
      () => false,
    )
  try {
    await expect.poll(isReady, { timeout: 60_000 }).toBe(true)
  } catch (cause) {
    await stop()
    throw new Error(`${clientId} does not listen: ${output}`, { cause })
  }
  return { stop }
}

/** Signs `eve` in to an application, and to Passport if she is not yet. */
async function signIn(page: Page, { passport, urls }: World, { name, app = ownApp }: Client) {
  const url = urls.get(name) ?? ''
  await page.goto(url + app.loginPath)
  await page.getByRole('link', { name: 'Passport' }).click()
  await page.getByLabel('Name').fill('eve')
  await page.getByLabel('Password').fill(passport.passwordOf('eve'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((shown) => shown.origin === url)
  await expect.poll(() => app.readUser(page, url)).toMatchObject({ sub: expect.any(String) })
  return url
}

for (const client of clients)
  test.describe(client.name, () => {
    const { app = ownApp } = client

    test('signs in, reads the user info, refreshes and signs out', async ({ page, world }) => {
      const url = await signIn(page, world, client)
      const user = await app.readUser(page, url)
      expect(await app.readUserInfo(page, url)).toMatchObject({
        sub: user?.['sub'],
        name: 'Eve Moreau',
        email: 'eve@passport.example',
      })
      expect(await app.refresh(page, url)).toBe(true)
      expect(await app.readUser(page, url)).toMatchObject({ sub: user?.['sub'] })

      await page.goto(url + app.logoutPath(url))
      await page.waitForURL((shown) => shown.origin === url && shown.pathname === '/')
      expect(await app.readUser(page, url)).toBe(undefined)
      const session = await page.request.get(`${world.passport.url}/passport/apphelper/user`)
      expect(session.status(), 'the user is signed out of Passport too').toBe(401)
    })

    if (client.backChannelPath)
      test('ends its session when the user signs out of Passport', async ({ page, world }) => {
        const url = await signIn(page, world, client)
        await page.goto(`${world.passport.url}/app/account/logins`)
        await page.getByRole('button', { name: 'Account menu of Eve Moreau' }).click()
        await page.getByRole('menuitem', { name: 'Sign out' }).click()
        await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
        await expect.poll(() => app.readUser(page, url)).toBe(undefined)
      })
  })
