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

/** Who uses the browser; a stranger is not signed in. */
export type Who = 'stranger' | 'eve' | 'dev' | 'max' | 'ada'

interface Fixtures {
  /** A page of a browser in which someone is signed in. */
  as: (who: Who, options?: Parameters<Browser['newContext']>[0]) => Promise<Page>
  /** A page of a newcomer of the test's own, signed in: who is renamed, shut out or deleted must be nobody else's. */
  asNew: (who: string, displayName: string) => Promise<Page>
  /** What browsers complained about during the test. */
  complaints: string[]
}

interface WorkerFixtures {
  passport: Passport
  signedIn: Map<Who, Awaited<ReturnType<BrowserContext['storageState']>>>
}

/** The browser itself tells of every answer that is no success; a stranger's 401 is one by design. */
const isExpected = (text: string) => text.includes('401 (Unauthorized)')

export const test = base.extend<Fixtures, WorkerFixtures>({
  passport: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in the pattern
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
  complaints: async ({}, use) => {
    const complaints: string[] = []
    await use(complaints)
    expect(complaints.filter((text) => !isExpected(text))).toEqual([])
  },
  as: async ({ browser, passport, signedIn, complaints }, use) => {
    const contexts: BrowserContext[] = []
    await use(async (who, options = {}) => {
      const shared = { baseURL: passport.url, ...options }
      if (who !== 'stranger' && !signedIn.has(who)) signedIn.set(who, await signInOnce(browser, passport, who))
      const storageState = signedIn.get(who)
      const context = await browser.newContext({ ...shared, ...(storageState && { storageState }) })
      contexts.push(context)
      const page = await context.newPage()
      page.on('console', (message) => message.type() === 'error' && complaints.push(`${page.url()}: ${message.text()}`))
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
      return page
    })
    for (const context of contexts) await context.close()
  },
  asNew: async ({ as, passport }, use) =>
    use(async (who, displayName) => {
      await passport.add(who, displayName)
      const page = await as('stranger')
      await openAs(page, passport, who)
      return page
    }),
})

async function signInOnce(browser: Browser, passport: Passport, who: Who) {
  const context = await browser.newContext({ baseURL: passport.url })
  await signInOver(context.request, passport, who)
  const state = await context.storageState()
  await context.close()
  return state
}

/** Signs in over HTTP, with the forms that the browser would show. */
const signInOver = (request: APIRequestContext, passport: Passport, who: string) =>
  submitForm(request, '/login?idp=local', { name: who, password: passport.passwordOf(who) })

/** Opens a page in a new session of a person, where the sign-in itself is not the subject of the test. */
export async function openAs(page: Page, passport: Passport, who: string, path = '/app/') {
  await signInOver(page.request, passport, who)
  await page.goto(path)
}

/** Signs in by hand through the built-in directory, and waits for the page that it leads to. */
export async function signIn(page: Page, passport: Passport, who: string, returnUrl = '/app/') {
  await page.goto(`/login?idp=local&returnUrl=${encodeURIComponent(returnUrl)}`)
  await page.getByLabel('Name').fill(who)
  await page.getByLabel('Password').fill(passport.passwordOf(who))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/app/') && url.pathname !== '/app/login')
}
