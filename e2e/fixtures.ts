import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  test as base,
  expect,
  type Page,
} from '@playwright/test'
import { submitForm } from './forms.ts'
import { type Passport, startPassport } from './passport.ts'

export { expect } from '@playwright/test'
export { expectAccessible, expectNoSidewaysScroll } from './accessibility.ts'

/** The demo users of the browser tests; a stranger is not signed in. */
export type TestUser = 'stranger' | 'eve' | 'dev' | 'max' | 'ada'

export interface Fixtures {
  /** Opens a page in a new browser context, signed in as the user. */
  as: (user: TestUser, options?: Parameters<Browser['newContext']>[0]) => Promise<Page>
  /** Opens a page as a new user of this test. Tests must not rename, disable or delete the shared users. */
  asNew: (user: string, displayName: string) => Promise<Page>
  /** The errors in the browser console. The test fails if any are left in the list, except for 401s and offline requests. */
  consoleErrors: string[]
}

export interface WorkerFixtures {
  passport: Passport
  signedIn: Map<TestUser, { state: Awaited<ReturnType<BrowserContext['storageState']>>; at: number }>
}

/**
 * Tests share a session for this time, because administrative actions require an authentication in the last 15 minutes.
 */
const sessionReuseMs = 5 * 60_000

/**
 * The browser logs every failed response; a stranger's 401 is expected, and requests while a test is offline. Frames of
 * previews run no scripts, not even those of the test runner.
 */
const isExpected = (text: string) =>
  text.includes('401 (Unauthorized)') ||
  /Blocked script execution in '[^']*\/passport\/admin\/mail\/kinds\//.test(text) ||
  text.includes('net::ERR_INTERNET_DISCONNECTED')

export const test = base.extend<Fixtures, WorkerFixtures>({
  passport: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const passport = await startPassport()
      await use(passport)
      await passport.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  signedIn: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => use(new Map()),
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above
  consoleErrors: async ({}, use) => {
    const consoleErrors: string[] = []
    await use(consoleErrors)
    expect(consoleErrors.filter((text) => !isExpected(text))).toEqual([])
  },
  as: async ({ browser, passport, signedIn, consoleErrors }, use) => {
    const contexts: BrowserContext[] = []
    await use(async (user, options = {}) => {
      const shared = { baseURL: passport.url, ...options }
      const isRecent = Date.now() - (signedIn.get(user)?.at ?? 0) < sessionReuseMs
      if (user !== 'stranger' && !isRecent)
        signedIn.set(user, { state: await signInOnce(browser, passport, user), at: Date.now() })
      const storageState = signedIn.get(user)?.state
      const context = await browser.newContext({ ...shared, ...(storageState && { storageState }) })
      contexts.push(context)
      const page = await context.newPage()
      page.on(
        'console',
        (message) =>
          message.type() === 'error' &&
          consoleErrors.push(`${page.url()}: ${message.text()} ${message.location().url}`),
      )
      page.on('pageerror', (error) => consoleErrors.push(`${page.url()}: ${error.message}`))
      return page
    })
    for (const context of contexts) await context.close()
  },
  asNew: async ({ as, passport }, use) =>
    use(async (user, displayName) => {
      await passport.add(user, displayName)
      const page = await as('stranger')
      await openAs(page, passport, user)
      return page
    }),
})

async function signInOnce(browser: Browser, passport: Passport, user: TestUser) {
  const context = await browser.newContext({ baseURL: passport.url })
  await signInByForms(context.request, passport, user)
  const state = await context.storageState()
  await context.close()
  return state
}

/** Signs in over HTTP, with the same forms as the browser. */
const signInByForms = (request: APIRequestContext, passport: Passport, user: string) =>
  submitForm(request, '/login?idp=local', { name: user, password: passport.passwordOf(user) })

/** Opens a page in a new session, for tests whose subject is not the sign-in. */
export async function openAs(page: Page, passport: Passport, user: string, path = '/app/') {
  await signInByForms(page.request, passport, user)
  await page.goto(path)
}

/** Signs in through the forms of the built-in directory and waits for the target page. */
export async function signIn(page: Page, passport: Passport, user: string, returnUrl = '/app/') {
  await page.goto(`/login?idp=local&returnUrl=${encodeURIComponent(returnUrl)}`)
  await page.getByLabel('Name').fill(user)
  await page.getByLabel('Password').fill(passport.passwordOf(user))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/app/') && url.pathname !== '/app/login')
}
