import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './fixtures.ts'
import { startPassport } from './passport.ts'

const row = (page: Page, name: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
    .filter({ hasText: /Up|Slow|Down|Off/ })

/** Counts the completed requests for the results of the checks. */
function countChecks(page: Page) {
  const checks: string[] = []
  page.on(
    'requestfinished',
    (request) => request.url().endsWith('/passport/admin/health') && checks.push(request.url()),
  )
  return checks
}

test('the health page shows each dependency, the servers and their activity', async ({ as }) => {
  const page = await as('ada')
  await page.goto('/app/')
  await expect(page.getByRole('link', { name: 'Health' })).toBeVisible()
  await page.keyboard.press('g')
  await page.keyboard.press('y')
  await expect(page).toHaveURL(/\/app\/admin\/health$/)
  await expect(page.getByRole('status', { name: 'Summary' })).toContainText(/Everything works|Degraded/)
  for (const name of ['PostgreSQL', 'Background jobs', 'Email', 'Sign-in at Harbour ID', 'Permissions', 'Media'])
    await expect(row(page, name)).toContainText(/Up|Slow/)
  await expect(page.getByRole('region', { name: 'Dependencies' })).toContainText('Not set up')
  await expect(page.getByRole('link', { name: 'Set up Microsoft Entra' })).toHaveAttribute(
    'href',
    '/docs/entra-organisations',
  )
  await expect(page.getByRole('img', { name: /^PostgreSQL, half hours of a day|^PostgreSQL: up/ })).toBeVisible()
  const instances = page.getByRole('region', { name: 'Instances' })
  await expect(instances.getByRole('row')).toHaveCount(2)
  await expect(instances).toContainText(/\d+ MB/)

  await expect(page.getByRole('img', { name: /sign-ins succeeded and \d+ failed in 24 hours/ })).toBeVisible()
  await page.getByRole('button', { name: '30 days' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/health\?days=30$/)
  const chart = page.getByRole('region', { name: 'Sign-ins per day' })
  await expect(chart.getByRole('img', { name: /in 30 days/ })).toBeVisible()
  await chart.getByText('Show as table').click()
  await expect(chart.getByRole('columnheader')).toHaveText(['Day, in UTC', 'Succeeded', 'Failed'])
  await page.getByRole('region', { name: 'Dependencies' }).getByText('Show as table').click()
  await expect(page.getByRole('table', { name: 'Latency by half hour, 95th percentile' })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page, 'the health page with open tables')
})

test('the figure of errors on the home page opens the activity of its 30 days', async ({ as }) => {
  const page = await as('ada')
  await page.goto('/app/')
  await page.getByRole('link', { name: 'Errors', exact: true }).click()
  await expect(page).toHaveURL(/\/app\/admin\/health\?days=30$/)
  await expect(page.getByRole('button', { name: '30 days' })).toHaveAttribute('aria-pressed', 'true')
  await expect(page.getByRole('img', { name: /failed in 30 days/ })).toBeVisible()
  await page.getByRole('button', { name: '24 hours' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/health$/)
  await expect(page.getByRole('img', { name: /failed in 24 hours/ })).toBeVisible()
})

test('the checks are repeated every 15 s, but not while they are paused or the tab is hidden', async ({ as }) => {
  const page = await as('ada')
  await page.clock.install()
  const checks = countChecks(page)
  await page.goto('/app/admin/health')
  await expect(page.getByRole('region', { name: 'Dependencies' })).toBeVisible()
  await expect.poll(() => checks.length).toBe(1)
  await page.clock.runFor(15_500)
  await expect.poll(() => checks.length).toBe(2)

  await page.getByRole('button', { name: 'Pause' }).click()
  await expect(page.getByText(/^Checked .* ago, paused$/)).toBeVisible()
  await page.clock.runFor(60_000)
  expect(checks).toHaveLength(2)
  await page.getByRole('button', { name: 'Resume' }).click()
  await expect.poll(() => checks.length).toBe(3)

  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await page.clock.runFor(60_000)
  expect(checks).toHaveLength(3)
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'visible', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await expect.poll(() => checks.length).toBe(4)
})

test('the page says what is down, and keeps its last answer while the database does not answer', async ({
  browser,
}) => {
  test.setTimeout(120_000)
  // A port without a mail server.
  const passport = await startPassport({ SMTP_URL: 'smtp://127.0.0.1:9' })
  try {
    const page = await browser.newPage({ baseURL: passport.url, colorScheme: 'dark', reducedMotion: 'reduce' })
    await openAs(page, passport, 'ada', '/app/admin/health')
    const summary = page.getByRole('status', { name: 'Summary' })
    await expect(summary).toContainText('Email is down')
    await expect(summary).toContainText('Invitations, codes and notices arrive late.')
    await expect(row(page, 'Email')).toContainText('Connection refused')

    passport.signalDatabase('SIGSTOP')
    await expect(summary).toContainText('The database does not answer', { timeout: 60_000 })
    await expect(page.getByText(/^Last answer \d+ s ago, every 15 s$/)).toBeVisible()
    await expect(row(page, 'PostgreSQL')).toContainText('Version')
    await expectAccessible(page)
    passport.signalDatabase('SIGCONT')
    await expect(summary).toContainText('Email is down', { timeout: 60_000 })
    await page.close()
  } finally {
    passport.signalDatabase('SIGCONT')
    await passport.stop()
  }
})
