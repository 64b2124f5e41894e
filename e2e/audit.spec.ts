import { readFileSync } from 'node:fs'
import { expect, expectAccessible, test } from './cast.ts'

test('what was done is told in sentences, narrowed by what stands in the address, and taken out as files', async ({
  as,
}) => {
  const page = await as('ada')
  await page.goto('/app/')
  const name = `Ada Lovelace ${Date.now()}`
  const rename = (name: string) =>
    page.evaluate(async (displayname) => {
      const body = JSON.stringify({ displayname })
      const headers = { 'content-type': 'application/json' }
      await fetch('/passport/profile/me', { method: 'PUT', headers, body })
    }, name)
  await rename(name)
  await page.getByRole('link', { name: 'Audit' }).click()
  await expect(page).toHaveTitle('Audit | Stage Passport')
  const events = page.getByRole('region', { name: 'Events' })
  const newest = events.getByRole('listitem').filter({ hasText: 'changed their own profile' }).first()
  await expect(newest).toContainText(`displayname`)
  await expect(newest).toContainText(name)

  await page.getByLabel('What', { exact: true }).selectOption('profile.changed')
  await expect(page).toHaveURL(/\?action=profile\.changed$/)
  await expect(events.getByText('signed in through')).toHaveCount(0)
  await page.getByLabel('What', { exact: true }).selectOption('key.rotated')
  await expect(events.getByText('changed the keys').first()).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel('What', { exact: true })).toHaveValue('profile.changed')
  await expect(newest).toContainText(name)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-.*\.csv$/)
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.slice(1, -1).every((line) => line.includes('profile.changed'))).toBe(true)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(/\/admin\/audit$/)
  await expect(events.getByText('exported the audit').first()).toBeVisible()

  await page.getByLabel('Who', { exact: true }).fill('dev')
  await page.getByRole('option', { name: /Dev Patel/ }).click()
  await expect(page).toHaveURL(/\?actor=/)
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Who:')
  // Others know her by her name.
  await rename('Ada Lovelace')
})

test('the code that a failed sign-in shows opens the attempt', async ({ as, complaints }) => {
  const stranger = await as('stranger')
  const [sent] = await Promise.all([
    stranger.waitForRequest((request) => new URL(request.url()).searchParams.has('state')),
    stranger.goto('/login?idp=harbour'),
  ])
  const state = new URL(sent.url()).searchParams.get('state')
  await stranger.goto(`/login/callback/harbour?state=${state}&error=access_denied`)
  const code = (await stranger.locator('code').first().textContent()) ?? ''
  expect(code).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}$/)
  complaints.length = 0

  const page = await as('max')
  await page.goto('/app/admin/audit')
  await page.getByLabel('Support code or trace').fill('no code')
  await page.keyboard.press('Enter')
  await expect(page.getByText('A support code looks like 4BF9-2F35.')).toBeVisible()
  await page.getByLabel('Support code or trace').fill(code.toLowerCase())
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`supportCode=${code}$`))
  const events = page.getByRole('region', { name: 'Events' })
  await expect(events.getByRole('listitem').filter({ hasText: 'Sign-in failed' })).toHaveCount(1)
  await page.goto('/app/admin/audit?supportCode=0000-0000')
  await expect(page.getByText('No event is of this attempt')).toBeVisible()
  await expectAccessible(page)
})

test('how long it is kept is set, a year at least', async ({ as }) => {
  const page = await as('max')
  await page.goto('/app/admin/audit?action=audit.')
  await page.getByLabel('Days').fill('364')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Must be a whole number from 365')).toBeVisible()
  await page.getByLabel('Days').fill('730')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Events are kept for 730 days')).toBeVisible()
  await expect(page.getByText('changed for how long the audit is kept').first()).toBeVisible()
})

test('what was deleted is in the bin', async ({ as }) => {
  const page = await as('max')
  await page.goto('/app/admin/bin')
  await expect(page.getByText('The bin is empty')).toBeVisible()
  await page.getByLabel('Kind', { exact: true }).selectOption('org')
  await expect(page).toHaveURL(/\?kind=org$/)
  await expect(page.getByText('No organisations are in the bin')).toBeVisible()
})

test('by keyboard alone: ⌘K finds a person and Enter opens them, g o goes to organisations, ? lists the keys', async ({
  as,
}) => {
  const page = await as('max')
  await page.goto('/app/admin/audit')
  await expect(page.getByRole('heading', { name: 'Audit' })).toBeVisible()
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('/admin/search') && asked.push(request.url()))
  const palette = page.getByRole('combobox', { name: 'Search or jump to' })
  // What listens to the keys is loaded after the page; a second press would close what the first one opens late.
  await expect(async () => {
    if (!(await palette.isVisible())) await page.keyboard.press('Control+k')
    await expect(palette).toBeFocused({ timeout: 1000 })
  }).toPass()
  await page.keyboard.type('lovel')
  await expect(page.getByRole('option', { name: /Ada Lovelace/ })).toBeVisible()
  await expectAccessible(page)
  expect(asked).toHaveLength(1)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/admin\/users\/[0-9a-f-]{36}$/)

  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option').first()).toContainText('Ada Lovelace')
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await expect(page).toHaveURL(/\/admin\/orgs$/)
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(keys).toBeVisible()
  await keys.getByLabel('Single keys are on').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await expect(page).toHaveURL(/\/admin\/orgs$/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('g u')
  await expect(palette).toHaveValue('g u')
})
