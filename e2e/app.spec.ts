import { expect, expectAccessible, test } from './fixtures.ts'
import { startPassport } from './passport.ts'

test('the home page shows a signed-out visitor the brand and a sign-in link', async ({ as }) => {
  const page = await as('stranger')
  await page.goto('/app/')
  await expect(page).toHaveTitle('Stage Passport')
  await expect(page.getByRole('heading', { name: 'Stage Passport' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toHaveAttribute(
    'href',
    '/login?returnUrl=%2Fapp%2F',
  )
})

test('first steps are ticked when they are taken, lead to their page, and can be hidden', async ({ as }) => {
  const page = await as('ada')
  const headers = { 'sec-fetch-site': 'same-origin' }
  await page.request.post('/passport/admin/orgs', { headers, data: { name: 'First Steps' } })
  await page.goto('/app/')
  const list = page.getByRole('region', { name: 'Get started' })
  for (const step of ['Connect an identity provider', 'Set up email', 'Create an organisation'])
    await expect(list.getByRole('listitem').filter({ hasText: step })).toContainText('(done)')
  const step = list.getByRole('button', { name: 'Register an application' })
  if ((await step.getAttribute('aria-expanded')) === 'true') await step.click()
  await step.focus()
  await page.keyboard.press('Enter')
  await expect(step).toHaveAttribute('aria-expanded', 'true')
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await expect(list.getByRole('link', { name: 'Register application' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/app\/admin\/identity\/clients\/create$/)
  const guide = await (await page.request.get('/docs/configuration')).text()
  for (const part of ['the-file', 'mail']) expect(guide).toContain(`id="${part}"`)

  await page.goto('/app/')
  await list.getByRole('button', { name: 'Hide this list' }).click()
  await expect(list).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await list.getByRole('button', { name: 'Hide this list' }).click()
  await expect(list).toHaveCount(0)
  await page.reload()
  await expect(page.getByRole('region', { name: 'Needs attention' })).toBeVisible()
  await expect(list).toHaveCount(0)
})

test('BRAND_NAME changes the brand everywhere', async ({ browser }) => {
  const passport = await startPassport({ BRAND_NAME: 'Orchard & Sons' })
  const page = await browser.newPage({ baseURL: passport.url })
  await page.goto('/app/')
  await expect(page).toHaveTitle('Orchard & Sons')
  await expect(page.getByRole('heading', { name: 'Orchard & Sons' })).toBeVisible()
  await page.goto('/app/notfound')
  await expect(page).toHaveTitle('Not Found | Orchard & Sons')
  await page.goto('/login')
  await expect(page).toHaveTitle('Sign in | Orchard & Sons')
  await page.close()
  await passport.stop()
})

test.describe('the current user', () => {
  test('is polled every 30 s; a sign-out keeps the page and its input, but rejects writes', async ({
    as,
    consoleErrors,
  }) => {
    const page = await as('eve')
    await page.clock.install()
    const polls: string[] = []
    await page.goto('/app/account/preferences')
    await page.getByLabel('New key').fill('half.typed')
    await page.getByLabel('New value').fill('x')
    // The next poll starts only after the previous response.
    page.on('requestfinished', (request) => request.url().endsWith('/apphelper/user') && polls.push(request.url()))

    await page.clock.runFor(20_000)
    expect(polls).toHaveLength(0)
    await page.clock.runFor(11_000)
    await expect.poll(() => polls.length).toBe(1)

    await page.context().clearCookies()
    await page.clock.runFor(30_000)
    await expect(page.getByText("You've been signed out.")).toBeVisible()
    await expect(page.getByLabel('New key')).toHaveValue('half.typed')
    await expect(page.getByRole('link', { name: 'Sign in again' })).toHaveAttribute(
      'href',
      `/login?returnUrl=${encodeURIComponent('/app/account/preferences')}`,
    )
    await expectAccessible(page)

    await page.getByRole('button', { name: 'Add' }).click()
    await expect(page.getByRole('alert').filter({ hasText: 'Failed to update key half.typed' }).first()).toContainText(
      'signed out',
    )
    await page.getByRole('link', { name: 'Sign-in and sessions' }).click()
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await expect(page).toHaveURL(/\/app\/notfound\?returnUrl=/)
    await expect(page.getByText("You've been signed out.")).toBeHidden()
    consoleErrors.length = 0
  })

  test.describe('a poll', () => {
    test('that finds another user offers a reload and blocks writes', async ({ as, passport }) => {
      const page = await as('eve')
      const dev = await as('dev')
      await dev.goto('/app/')
      await page.clock.install()
      await page.goto('/app/account/preferences')
      await page.context().addCookies(await dev.context().cookies())
      await page.clock.runFor(31_000)
      await expect(page.getByText('Now signed in as Dev Patel')).toBeVisible()
      await page.getByLabel('New key').fill('not.mine')
      await page.getByLabel('New value').fill('x')
      await page.getByRole('button', { name: 'Add' }).click()
      await expect(page.getByRole('alert').filter({ hasText: 'Another user is signed in now' }).first()).toBeVisible()
      expect((await dev.request.get('/passport/preferences/me/not.mine')).status()).toBe(404)
      page.once('dialog', (dialog) => void dialog.accept())
      await page.getByRole('button', { name: 'Reload' }).click()
      await expect(page).toHaveURL(`${passport.url}/app/account/preferences`)
      await expect(page.getByText('Now signed in as')).toBeHidden()
    })
  })
})

test.describe('keyboard only', () => {
  test('g and a second key navigate, ? lists the shortcuts, and they can be disabled', async ({ as }) => {
    const page = await as('ada')
    await page.goto('/app/')
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await expect(page).toHaveURL(/\/admin\/orgs$/)
    await page.keyboard.press('Shift+?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await expect(list).toContainText('Go to')
    await expectAccessible(page)
    await list.getByLabel('Enable single-key shortcuts').uncheck()
    await page.keyboard.press('Escape')
    await expect(list).toBeHidden()
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.keyboard.press('Shift+?')
    await expect(page).toHaveURL(/\/admin\/orgs$/)
    await expect(list).toBeHidden()
  })

  test('keys typed into a field are text', async ({ as }) => {
    const page = await as('dev')
    await page.goto('/app/developer/preferences')
    await page.getByLabel('New key').pressSequentially('g d?')
    await expect(page.getByLabel('New key')).toHaveValue('g d?')
    await expect(page).toHaveURL(/preferences$/)
    await page.getByLabel('New key').fill('')
  })

  test('the account menu opens, moves and closes', async ({ as }) => {
    const page = await as('eve')
    await page.goto('/app/')
    await page.getByRole('button', { name: 'Account menu of Eve Moreau' }).focus()
    await page.keyboard.press('Enter')
    await expect(page.getByRole('menuitem', { name: 'Account' })).toBeFocused()
    await expectAccessible(page)
    await page.keyboard.press('ArrowDown')
    await expect(page.getByRole('menuitem', { name: 'Preferences' })).toBeFocused()
    await page.keyboard.press('s')
    await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeFocused()
    await page.keyboard.press('Escape')
    await expect(page.getByRole('menu')).toBeHidden()
    await expect(page.getByRole('button', { name: 'Account menu of Eve Moreau' })).toBeFocused()
  })

  test('the first tab stop is a link that skips the navigation', async ({ as }) => {
    const page = await as('ada')
    await page.goto('/app/')
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
    await page.keyboard.press('Tab')
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
    await page.keyboard.press('Enter')
    await expect(page.locator('#main')).toBeFocused()
  })
})

test('the navigation is a drawer in a small window', async ({ as }) => {
  const page = await as('ada', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await page.goto('/app/')
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await expect(navigation).toBeHidden()
  await page.getByRole('button', { name: 'Open navigation' }).tap()
  await expect(navigation).toBeVisible()
  await expectAccessible(page)
  await navigation.getByRole('link', { name: 'Roles' }).tap()
  await expect(page).toHaveURL(/\/admin\/roles$/)
  await expect(navigation).toBeHidden()
  await page.getByRole('button', { name: 'Open navigation' }).tap()
  await page.keyboard.press('Escape')
  await expect(navigation).toBeHidden()
})

test.describe('the theme', () => {
  const backgroundColor = () => getComputedStyle(document.body).backgroundColor

  test('follows the system until one is chosen, then loads without a flash of the other', async ({ as }) => {
    const page = await as('stranger', { colorScheme: 'light' })
    await page.goto('/app/')
    const light = await page.evaluate(backgroundColor)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await page.evaluate(backgroundColor)).not.toBe(light)
    await page.getByRole('button', { name: 'Theme: System theme' }).click()
    await page.getByRole('menuitemradio', { name: 'Light' }).click()
    expect(await page.evaluate(backgroundColor)).toBe(light)
    await page.reload({ waitUntil: 'commit' })
    await page.waitForFunction(() => document.body !== null)
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe('light')
    await expect(page.getByRole('button', { name: 'Theme: Light' })).toBeVisible()
  })
})
