import type { Page } from '@playwright/test'
import { expect, test, type Who } from './cast.ts'

const kB = 1000

/** What a first visit may cost in scripts: all that the browser loads until nothing more comes, as they are sent. */
const budgets: [path: string, who: Who, most: number][] = [
  ['/app/', 'eve', 110 * kB],
  ['/app/account/logins', 'eve', 110 * kB],
  ['/app/account/preferences', 'eve', 110 * kB],
  ['/app/admin/users', 'ada', 120 * kB],
]

for (const [path, who, most] of budgets)
  test(`${path} costs ${who} at most ${most / kB} kB of scripts at the first visit`, async ({ as }) => {
    const scripts = await scriptsOfFirstVisit(await as(who), path)
    const sum = [...scripts.values()].reduce((all, bytes) => all + bytes, 0)
    const told = [...scripts].map(([name, bytes]) => `${name} ${bytes}`).join('\n')
    console.log(`${path.padEnd(26)}${(sum / kB).toFixed(1)} kB in ${scripts.size} files, within ${most / kB}`)
    expect(sum, told).toBeLessThanOrEqual(most)
  })

/** The name of every script that the browser asks for, and how many bytes came over the wire for it. */
async function scriptsOfFirstVisit(page: Page, path: string): Promise<Map<string, number>> {
  const scripts = new Map<string, number>()
  page.on('requestfinished', async (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.endsWith('.js')) return
    const answer = await request.response()
    expect(answer?.headers()['content-encoding'], pathname).toBe('br')
    scripts.set(pathname.split('/').at(-1) ?? '', Number(answer?.headers()['content-length']))
  })
  await page.goto(path)
  await expect(page.locator('#main h1').first()).toBeAttached()
  await page.waitForLoadState('networkidle')
  return scripts
}
