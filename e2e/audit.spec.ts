import { readFileSync } from 'node:fs'
import { expect, expectAccessible, test } from './fixtures.ts'

test('lists events as sentences, filters them by the URL, and exports them as files', async ({ as }) => {
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
  await page.getByRole('link', { name: 'Audit', exact: true }).click()
  await expect(page).toHaveTitle('Audit | Stage Passport')
  const events = page.getByRole('region', { name: 'Events', exact: true })
  const newest = events.getByRole('listitem').filter({ hasText: 'edited their own profile' }).first()
  await expect(newest).toContainText('Display name')
  await expect(newest).toContainText(name)

  await page.getByLabel('Event', { exact: true }).selectOption('profile.changed')
  await expect(page).toHaveURL(/\?action=profile\.changed$/)
  await expect(events.getByText('signed in with')).toHaveCount(0)
  await page.getByLabel('Event', { exact: true }).selectOption('key.rotated')
  await expect(events.getByText(/rotated (the|\d+) signing keys/).first()).toBeVisible()
  await page.goBack()
  await expect(page.getByLabel('Event', { exact: true })).toHaveValue('profile.changed')
  await expect(newest).toContainText(name)

  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export CSV' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^audit-.*\.csv$/)
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n')
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.slice(1, -1).every((line) => line.includes('profile.changed'))).toBe(true)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(/\/admin\/audit$/)
  await expect(events.getByText('exported the audit log').first()).toBeVisible()

  await page.getByRole('button', { name: 'Filter by actor' }).click()
  await page.getByRole('combobox', { name: 'Actor' }).fill('dev')
  await page.getByRole('option', { name: /Dev Patel/ }).click()
  await expect(page).toHaveURL(/\?actor=/)
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Actor: Dev Patel')
  // Other tests find this user by name.
  await rename('Ada Lovelace')
})

test('the support code of a failed sign-in finds the attempt', async ({ as, consoleErrors }) => {
  const stranger = await as('stranger')
  const [authorizationRequest] = await Promise.all([
    stranger.waitForRequest((request) => new URL(request.url()).searchParams.has('state')),
    stranger.goto('/login?idp=harbour'),
  ])
  const state = new URL(authorizationRequest.url()).searchParams.get('state')
  await stranger.goto(`/login/callback/harbour?state=${state}&error=access_denied`)
  const code = (await stranger.locator('code').first().textContent()) ?? ''
  expect(code).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}$/)
  consoleErrors.length = 0

  const page = await as('max')
  await page.goto('/app/admin/audit')
  await page.getByLabel('Support code or trace').fill('no code')
  await page.keyboard.press('Enter')
  await expect(page.getByText('Enter a support code such as 4BF9-2F35, or a trace ID.')).toBeVisible()
  await page.getByLabel('Support code or trace').fill(code.toLowerCase())
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`supportCode=${code}$`))
  const events = page.getByRole('region', { name: 'Events', exact: true })
  await expect(events.getByRole('listitem').filter({ hasText: 'Sign-in failed' })).toHaveCount(1)
  await page.goto('/app/admin/audit?supportCode=0000-0000')
  await expect(page.getByText('No events for this support code')).toBeVisible()
  await expectAccessible(page)
})

test('the retention period can be set to a year or longer', async ({ as }) => {
  const page = await as('max')
  await page.goto('/app/admin/audit?action=audit.')
  await page.getByRole('button', { name: 'Change retention' }).click()
  await page.getByLabel('Days').fill('364')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Enter a whole number from 365')).toBeVisible()
  await page.getByLabel('Days').fill('730')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page.getByText('changed the audit retention').first()).toBeVisible()
})

test('shows the events per day, filters by day, and groups bulk changes', async ({ as }) => {
  const page = await as('max')
  await page.goto('/app/')
  await page.evaluate(async () => {
    for (const view of ['a', 'b'])
      await fetch(`/passport/preferences/me/Passport.Table.${view}`, {
        method: 'PUT',
        headers: { 'content-type': 'text/plain' },
        body: view,
      })
    const names = ['Bulk One', 'Bulk Two', 'Bulk Three', 'Bulk Four']
    const headers = { 'content-type': 'application/json' }
    for (const name of names)
      await fetch('/passport/groups', { method: 'POST', headers, body: JSON.stringify({ name }) })
  })
  await page.goto('/app/admin/audit')
  const events = page.getByRole('region', { name: 'Events', exact: true })
  const created = events.getByRole('listitem').filter({ hasText: 'created 4 groups' }).first()
  await expect(created).toBeVisible()
  await expect(events.getByText(/saved (the preference|\d+ preferences)/)).toHaveCount(0)
  await created.getByRole('button', { name: 'Show' }).click()
  await expect(created.getByRole('link', { name: 'Bulk Three' })).toBeVisible()

  await expect(page.getByRole('img', { name: /events from .* failed sign-ins/ })).toBeVisible()
  await page.getByText('Show as table').click()
  await expectAccessible(page)
  await page.getByRole('table', { name: 'Events per day' }).getByRole('row').getByRole('button').first().click()
  await expect(page).toHaveURL(/from=(\d{4}-\d\d-\d\d)&to=\1/)
  await expect(page.getByRole('list', { name: 'Filters' })).toContainText('Date:')
  await page.getByLabel('Console settings').check()
  await expect(events.getByText(/saved (the preference|\d+ preferences)/).first()).toBeVisible()

  await page.getByRole('button', { name: 'Filter by date' }).click()
  const dates = page.getByRole('dialog', { name: 'Filter by date' })
  await dates.getByLabel('From').fill('32 Nov')
  await dates.getByRole('button', { name: 'Apply' }).click()
  await expect(dates.getByText('Enter a day such as')).toBeVisible()
  await dates.getByLabel('From').fill('1 Jan 2024')
  await dates.getByLabel('To').fill('2.1.2024')
  await dates.getByRole('button', { name: 'Apply' }).click()
  await expect(page).toHaveURL(/from=2024-01-01&to=2024-01-02/)
  await expect(page.getByText('No events match')).toBeVisible()
})

test('the trash is empty before anything is deleted, and can be filtered by kind', async ({ as }) => {
  const page = await as('max')
  await page.goto('/app/admin/trash')
  await expect(page.getByText('Trash is empty')).toBeVisible()
  await page.getByLabel('Kind', { exact: true }).selectOption('org')
  await expect(page).toHaveURL(/\?kind=org$/)
  await expect(page.getByText('No organisations in the trash')).toBeVisible()
})

test('the trash is searched, and several items are restored at once', async ({ as }) => {
  const page = await as('ada')
  const prefix = `Mark ${Date.now()}`
  await page.goto('/app/')
  await page.evaluate(async (prefix) => {
    const headers = { 'content-type': 'application/json' }
    for (const part of ['one', 'two', 'three']) {
      const body = JSON.stringify({ name: `${prefix} ${part}` })
      const response = await fetch('/passport/groups', { method: 'POST', headers, body })
      const { id } = (await response.json()) as { id: string }
      await fetch(`/passport/groups/${id}`, { method: 'DELETE' })
    }
  }, prefix)
  await page.goto('/app/admin/trash')
  await page.getByLabel('Search the trash').fill(prefix)
  // A new search clears the selection, so the test waits for it.
  await expect(page).toHaveURL(/q=Mark/)
  await expect(page.getByRole('row')).toHaveCount(4)
  await expect(page.getByRole('row').nth(1)).toContainText(/(29|30) days/)
  await page.getByLabel(`Select ${prefix} one`).check()
  await page.getByLabel(`Select ${prefix} two`).check()
  await expectAccessible(page)
  await page.getByRole('toolbar').getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText('2 restored')).toBeVisible()
  await expect(page.getByRole('row')).toHaveCount(2)
  await page.getByLabel('Search the trash').fill(`${prefix} four`)
  await expect(page.getByText('No items match')).toBeVisible()
})

test('keyboard only: ⌘K finds and opens a user, g o opens organisations, and ? lists the shortcuts', async ({ as }) => {
  const page = await as('max')
  await page.goto('/app/admin/audit')
  await expect(page.getByRole('heading', { name: 'Audit' })).toBeVisible()
  const searches: string[] = []
  page.on('request', (request) => request.url().includes('/admin/search') && searches.push(request.url()))
  const palette = page.getByRole('combobox', { name: 'Search or run a command' })
  // The key listener loads after the page; a second press would close the palette opened late by the first.
  await expect(async () => {
    if (!(await palette.isVisible())) await page.keyboard.press('Control+k')
    await expect(palette).toBeFocused({ timeout: 1000 })
  }).toPass()
  await page.keyboard.type('lovel')
  await expect(page.getByRole('option', { name: /Ada Lovelace/ })).toBeVisible()
  await expectAccessible(page)
  // Fewer than one for each of four prefixes; on a busy machine typing may pause for longer than the debounce.
  expect(searches.length).toBeLessThan(4)
  expect(searches.at(-1)).toMatch(/query=lovel$/)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/admin\/users\/[0-9a-f-]{36}$/)

  await page.keyboard.press('Control+k')
  await expect(page.getByRole('option').first()).toContainText('Ada Lovelace')
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
  // On a busy machine more than 1.2 s may pass between the two keys.
  await expect(async () => {
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await expect(page).toHaveURL(/\/admin\/orgs$/, { timeout: 2000 })
  }).toPass()
  await page.keyboard.press('?')
  const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(keys).toBeVisible()
  await keys.getByLabel('Enable single-key shortcuts').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await expect(page).toHaveURL(/\/admin\/orgs$/)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('g u')
  await expect(palette).toHaveValue('g u')
})
