import type { SigninClient, SigninSettings } from '@passport/sign-in'
import { type MisbehavingProvider, startMisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { test as base, expect, type Page } from '@playwright/test'
import { type Site, startSite } from './site.ts'

/** The settled promise of a call of the client, as plain data. */
export interface SettledOutcome {
  // biome-ignore lint/suspicious/noExplicitAny: any result of the client, as plain data
  value?: any
  error?: { name: string; message: string; code: string; description?: string; cause: string }
}

/** Settings that can be serialized to a page, where `userStore` is the name of a storage of the browser. */
export type PlainSettings = Omit<
  SigninSettings,
  'metadata' | 'metadataSeed' | 'userStore' | 'stateStore' | 'logger' | 'fetch'
> & { userStore?: 'localStorage' }

declare global {
  interface Window {
    signIn: typeof import('@passport/sign-in')
    createClient: (settings: SigninSettings) => SigninClient
    client: SigninClient
    /** The events of the client, in order. */
    emittedEvents: string[]
    settle: (promise: Promise<unknown>) => Promise<SettledOutcome>
    /** The outcome of the callback on this page. */
    outcome: Promise<SettledOutcome>
    isReady?: true
  }
}

/** An application page with a client. */
export interface App {
  page: Page
  url: string
  /** Opens the page with a client for these settings, which also apply to later pages in this browser. */
  open: (settings?: { [Name in keyof PlainSettings]?: PlainSettings[Name] | undefined }) => Promise<void>
  /** The base settings of `open`. */
  settings: PlainSettings
  /** Signs in by redirect. */
  signIn: () => Promise<void>
  events: () => Promise<string[]>
  stored: () => Promise<Record<string, unknown> | null>
}

interface Fixtures {
  app: App
}
interface WorkerFixtures {
  op: MisbehavingProvider
  site: Site
}

export { expect, type Page }

export const test = base.extend<Fixtures, WorkerFixtures>({
  op: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const op = await startMisbehavingProvider()
      await use(op)
      await op.stop()
    },
    { scope: 'worker' },
  ],
  site: [
    // biome-ignore lint/correctness/noEmptyPattern: as above
    async ({}, use) => {
      const site = await startSite()
      await use(site)
      await site.stop()
    },
    { scope: 'worker', timeout: 60_000 },
  ],
  app: async ({ page, op, site }, use) => {
    op.reset()
    await use(createApp(page, op, site))
  },
})

/** Wraps a page of the application. */
export function createApp(page: Page, op: MisbehavingProvider, site: Site): App {
  const settings: PlainSettings = {
    authority: op.issuer,
    client_id: 'harbour-app',
    redirect_uri: `${site.url}/callback`,
    post_logout_redirect_uri: `${site.url}/signed-out`,
    scope: 'openid profile',
    monitorSession: false,
  }
  return {
    page,
    url: site.url,
    settings,
    open: async (overrides = {}) => {
      // Runs in every document of the page, before its scripts; the last settings win.
      await page.addInitScript(
        ([origin, text]) => {
          if (location.origin === origin) localStorage.setItem('settings', text)
        },
        [site.url, JSON.stringify({ ...settings, ...overrides })] as const,
      )
      await page.goto(`${site.url}/`)
      await waitUntilReady(page)
    },
    signIn: async () => {
      await page.evaluate(() => void window.client.signinRedirect())
      await page.waitForURL((url) => url.pathname === '/callback')
      await waitUntilReady(page)
      expect(await page.evaluate(() => window.outcome)).toMatchObject({ value: { profile: { sub: 'ada' } } })
    },
    events: () => page.evaluate(() => window.emittedEvents),
    stored: () =>
      page.evaluate(
        ({ authority, client_id }) =>
          JSON.parse(sessionStorage.getItem(`oidc.user:${authority}:${client_id}`) ?? 'null'),
        settings,
      ),
  }
}

/** Signs in with a token that expires after `seconds`, and installs a controlled clock. */
export async function signInFor(app: App, seconds: number, settings: object, tokens: Record<string, unknown>) {
  tokens['expires_in'] = seconds
  await app.open(settings)
  await app.page.clock.install()
  await app.signIn()
  tokens['expires_in'] = 3600
}

/** Waits until the script of the page has run. */
export const waitUntilReady = (page: Page) => page.waitForFunction(() => window.isReady)
