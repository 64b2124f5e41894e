import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const kB = 1000

/** The script budget of a first visit: the transferred size of all scripts until the network is idle. */
const budgets: [path: string, user: 'a new user' | 'ada', maxBytes: number][] = [
  ['/app/', 'a new user', 120 * kB],
  ['/app/account/logins', 'a new user', 120 * kB],
  ['/app/account/preferences', 'a new user', 120 * kB],
  ['/app/admin/users', 'ada', 130 * kB],
]

for (const [path, user, maxBytes] of budgets)
  test(`${path} loads at most ${maxBytes / kB} kB of scripts at the first visit of ${user}`, async ({ as, asNew }) => {
    // A new user has no applications, whose card is loaded on demand. Its first page is still loading.
    const signedIn = user === 'ada' ? await as(user) : await asNew(`first-visit${path.replaceAll('/', '-')}`, 'First')
    const scripts = await measureScripts(await signedIn.context().newPage(), path)
    const sum = [...scripts.values()].reduce((total, bytes) => total + bytes, 0)
    const breakdown = [...scripts].map(([name, bytes]) => `${name} ${bytes}`).join('\n')
    console.log(`${path.padEnd(26)}${(sum / kB).toFixed(1)} kB in ${scripts.size} files, within ${maxBytes / kB}`)
    expect(sum, breakdown).toBeLessThanOrEqual(maxBytes)
  })

/** Returns the name of every requested script with its transferred size in bytes. */
async function measureScripts(page: Page, path: string): Promise<Map<string, number>> {
  const scripts = new Map<string, number>()
  page.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.endsWith('.js')) return
    const response = await request.response()
    expect(response?.headers()['content-encoding'], pathname).toBe('br')
    scripts.set(pathname.split('/').at(-1) ?? '', Number(response?.headers()['content-length']))
  })
  await page.goto(path)
  await expect(page.locator('#main h1').first()).toBeAttached()
  await page.waitForLoadState('networkidle')
  return scripts
}
