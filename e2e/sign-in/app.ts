import type { SigninClient, SigninSettings } from '@passport/sign-in'
import { type MisbehavingProvider, startMisbehavingProvider } from '@passport/world/misbehaving-provider/provider'
import { test as base, expect, type Page } from '@playwright/test'
import { type Site, startSite } from './site.ts'

/** What became of a promise of the client. */
export interface Settled {
  // biome-ignore lint/suspicious/noExplicitAny: whatever the client answered, as plain data
  value?: any
  error?: { name: string; message: string; code: string; description?: string; cause: string }
}

/** Settings that can be handed to a page. */
export type PlainSettings = Omit<SigninSettings, 'metadata' | 'metadataSeed' | 'userStore' | 'stateStore' | 'logger'>

declare global {
  interface Window {
    signIn: typeof import('@passport/sign-in')
    make: (settings: SigninSettings) => SigninClient
    client: SigninClient
    /** The events of the client, in order. */
    told: string[]
    settle: (promise: Promise<unknown>) => Promise<Settled>
    /** Of the callback that this page is. */
    outcome: Promise<Settled>
    isReady?: true
  }
}

/** The page of an application with a client in it. */
export interface App {
  page: Page
  url: string
  /** Opens the page, with a client for these settings on it and on all that follow in this browser. */
  open: (settings?: { [Name in keyof PlainSettings]?: PlainSettings[Name] | undefined }) => Promise<void>
  /** The settings that `open` adds its own to. */
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
  shoal: MisbehavingProvider
  site: Site
}

export { expect, type Page }

export const test = base.extend<Fixtures, WorkerFixtures>({
  shoal: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names in the pattern
    async ({}, use) => {
      const shoal = await startMisbehavingProvider()
      await use(shoal)
      await shoal.stop()
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
  app: async ({ page, shoal, site }, use) => {
    shoal.reset()
    await use(appOn(page, shoal, site))
  },
})

/** The application on one more page. */
export function appOn(page: Page, shoal: MisbehavingProvider, site: Site): App {
  const settings: PlainSettings = {
    authority: shoal.issuer,
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
    open: async (more = {}) => {
      // Runs in every document of the page, before its scripts; of several settings the last ones remain.
      await page.addInitScript(
        ([origin, text]) => {
          if (location.origin === origin) localStorage.setItem('settings', text)
        },
        [site.url, JSON.stringify({ ...settings, ...more })] as const,
      )
      await page.goto(`${site.url}/`)
      await ready(page)
    },
    signIn: async () => {
      await page.evaluate(() => void window.client.signinRedirect())
      await page.waitForURL((url) => url.pathname === '/callback')
      await ready(page)
      expect(await page.evaluate(() => window.outcome)).toMatchObject({ value: { profile: { sub: 'ada' } } })
    },
    events: () => page.evaluate(() => window.told),
    stored: () =>
      page.evaluate(
        ({ authority, client_id }) =>
          JSON.parse(sessionStorage.getItem(`oidc.user:${authority}:${client_id}`) ?? 'null'),
        settings,
      ),
  }
}

/** Signs in with a token that expires in so many seconds, under a clock that the test turns. */
export async function signInFor(app: App, seconds: number, settings: object, tokens: Record<string, unknown>) {
  tokens['expires_in'] = seconds
  await app.open(settings)
  await app.page.clock.install()
  await app.signIn()
  tokens['expires_in'] = 3600
}

/** The script of the page has run. */
export const ready = (page: Page) => page.waitForFunction(() => window.isReady)
