import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContext, test as base, expect, type Page } from '@playwright/test'
import { type Passport, startPassport } from './passport.ts'

export { expect } from '@playwright/test'

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
      await signIn(page, passport, who)
      return page
    }),
})

async function signInOnce(browser: Browser, passport: Passport, who: Who) {
  const context = await browser.newContext({ baseURL: passport.url })
  await signIn(await context.newPage(), passport, who)
  const state = await context.storageState()
  await context.close()
  return state
}

/** Signs in by hand through the built-in directory, and waits for the page that it leads to. */
export async function signIn(page: Page, passport: Passport, who: string, returnUrl = '/app/') {
  await page.goto(`/login?idp=local&returnUrl=${encodeURIComponent(returnUrl)}`)
  await page.getByLabel('Name').fill(who)
  await page.getByLabel('Password').fill(passport.passwordOf(who))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/app/') && url.pathname !== '/app/login')
}

/** What another theme can change for the better or worse. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** The page as one who uses it with the keyboard or a screen reader finds it, in both themes. */
export async function expectAccessible(page: Page) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.waitForFunction(() => !document.getAnimations().some((one) => one instanceof CSSTransition))
    // Our pages have no frames: without a second page that gathers what frames say, it takes half the time.
    const axe = new AxeBuilder({ page }).setLegacyMode()
    const { violations } = await (colorScheme === 'light' ? axe : axe.withRules(colourRules)).analyze()
    const told = violations.map(
      ({ id, nodes }) =>
        `${colorScheme} ${id}: ${nodes.map(({ html, any }) => `${html} ${any[0]?.message ?? ''}`).join(' ')}`,
    )
    expect(told).toEqual([])
  }
}

/** Nothing is wider than the window. */
export async function expectNoSidewaysScroll(page: Page) {
  const { width } = page.viewportSize() ?? { width: 0 }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
}
