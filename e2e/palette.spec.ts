import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const findPalette = (page: Page) => page.getByRole('combobox', { name: 'Search or run a command' })
const findOptions = (page: Page) => page.getByRole('listbox', { name: 'Results' }).getByRole('option')

/** Opens a page and waits until its shortcuts work. */
async function open(page: Page, path: string) {
  await page.goto(path)
  await expect(page.getByRole('button', { name: 'Search or run a command' })).toBeVisible()
  await expect(page.locator('#main h1').first()).toBeAttached()
}

/** Opens the palette and runs the first result for a text. */
async function run(page: Page, text: string) {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(text)
  await page.keyboard.press('Enter')
  await expect(findPalette(page)).toBeHidden()
}

/** Delays the results of the palette until the returned function is called. */
async function holdResults(page: Page) {
  const release = Promise.withResolvers<void>()
  await page.route('**/assets/PaletteList*.js', async (route) => {
    await release.promise
    await route.continue()
  })
  return release.resolve
}

test.describe('on a slow network', () => {
  test('the palette takes every key from the first on, and none reaches the page', async ({ as }) => {
    const page = await as('ada')
    await open(page, '/app/admin/users')
    await expect(page.getByRole('table')).toBeVisible()
    const release = await holdResults(page)
    await page.keyboard.press('Control+k')
    // Without the palette these keys would create a user, select a row and open organisations.
    await page.keyboard.type('cx g o')
    await expect(findPalette(page)).toHaveValue('cx g o')
    await expect(page).toHaveURL(/\/admin\/users$/)
    await expectAccessible(page)
    await page.keyboard.press('Control+a')
    await page.keyboard.type('permission')
    release()
    await expect(findOptions(page).first()).toBeVisible()
    await page.keyboard.type(' checker')
    await expect(findPalette(page)).toHaveValue('permission checker')
    await expect(findPalette(page)).toBeFocused()
    await expect(findOptions(page)).toHaveText([/^Permission checker/])
    await page.keyboard.press('Enter')
    await expect(page).toHaveURL(/\/tools\/permissions\/check$/)
  })

  test('a form in the page keeps its text, and Enter waits for the results', async ({ as }) => {
    const page = await as('ada')
    await open(page, '/app/admin/groups/create')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.focus()
    const release = await holdResults(page)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('trash')
    await page.keyboard.press('Enter')
    await expect(findPalette(page)).toHaveValue('trash')
    await expect(name).toHaveValue('')
    await expect(page).toHaveURL(/groups\/create$/)
    release()
    await expect(page).toHaveURL(/\/admin\/trash$/)
  })
})

test('without a connection the palette keeps its text and shows an error', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  await open(page, '/app/admin/users')
  await page.context().setOffline(true)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('trash')
  const dialog = page.getByRole('dialog', { name: 'Search or run a command' })
  await expect(dialog.getByRole('alert')).toContainText("Couldn't load this part of the page")
  await expect(dialog.getByRole('button', { name: 'Try again' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.type(' x')
  await expect(findPalette(page)).toHaveValue('trash x')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('table')).toBeVisible()
  await page.context().setOffline(false)
  consoleErrors.length = 0
})

test('⌘K finds a page by prefixes of its words, and lists it first the next time', async ({ as }) => {
  const page = await as('ada')
  await open(page, '/app/')
  await page.keyboard.press('Control+k')
  await expect(findPalette(page)).toBeFocused()
  await expect(findOptions(page).first()).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.type('who can')
  await expect(findOptions(page)).toHaveText([/^Lookup: who can access that\?/])
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/tools\/permissions\/lookupSubjects$/)
  await page.keyboard.press('Control+k')
  await expect(findOptions(page).first()).toHaveText(/who can access that/)
  await page.keyboard.type('zzz')
  await expect(page.getByText('No results for “zzz”')).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(findPalette(page)).toBeHidden()
})

test('the palette runs the commands for the theme, the link, the shortcuts and the sign-out', async ({ asNew }) => {
  const page = await asNew('commander', 'Cora Command')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, '/app/account/groups?q=x')
  await run(page, 'dark')
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
  await run(page, 'copy link')
  await expect(page.getByText('Link copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
  await run(page, 'hotkeys')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await expect(list).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(list).toBeHidden()
  await run(page, 'log out')
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
})

test('the palette copies the call of a list with its filters, and of a record', async ({ as }) => {
  const page = await as('ada')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await open(page, '/app/admin/users?status=active&q=eve')
  await run(page, 'curl')
  await expect
    .poll(copied)
    .toMatch(/^curl 'http:\/\/localhost:\d+\/passport\/admin\/users\?[^']*' -H "Authorization: Bearer \$TOKEN"$/)
  const [, query = ''] = /\?([^']*)'/.exec(await copied()) ?? []
  expect(Object.fromEntries(new URLSearchParams(query))).toMatchObject({ status: 'active', query: 'eve' })
  await open(page, '/app/admin/roles/Passport.Developer')
  await run(page, 'curl')
  await expect.poll(copied).toContain('/passport/admin/roles/Passport.Developer')
})

test('the top bar names the section, the page and the record, and links to the list', async ({ as }) => {
  const page = await as('ada')
  await open(page, '/app/admin/roles/Passport.Developer')
  const trail = page.getByRole('navigation', { name: 'Breadcrumb' })
  await expect(trail).toHaveText('Directory/Roles/Passport.Developer')
  await expect(trail.locator('[aria-current=page]')).toHaveText('Passport.Developer')
  await trail.getByRole('link', { name: 'Roles' }).click()
  await expect(page).toHaveURL(/\/admin\/roles$/)
  await expect(trail).toHaveText('Directory/Roles')
  await page.goto('/app/admin/users/create')
  await expect(trail).toHaveText('Directory/Users/Create user')
})

test('the help menu has guides, the API reference, shortcuts and the version', async ({ as }) => {
  const page = await as('dev')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, '/app/developer/tokens')
  const help = page.getByRole('button', { name: 'Help' })
  await help.click()
  const { informationalVersion } = await (await page.request.get('/passport/info/version')).json()
  const version = page.getByRole('menuitem', { name: `Version ${informationalVersion}` })
  await expect(version).toBeVisible()
  await expectAccessible(page)
  await version.click()
  await expect(page.getByText('Version copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(informationalVersion)
  await help.click()
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await help.press('Enter')
  await expect(page.getByRole('menuitem', { name: 'Guides' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Guides' })).toBeVisible()
  await page.getByRole('link', { name: 'Sign users in from your application' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign users in from your application')
})

test('in a small window the palette fits, and shows names and emails in full', async ({ as }) => {
  const page = await as('ada', { viewport: { width: 390, height: 844 } })
  await open(page, '/app/admin/users')
  await page.getByRole('button', { name: 'Search or run a command' }).click()
  await page.keyboard.type('lovel')
  const [name, detail] = [
    page.getByText('Ada Lovelace', { exact: true }),
    page.getByText('User · ada@passport.example'),
  ]
  for (const part of [findOptions(page).locator(name), findOptions(page).locator(detail)]) {
    await expect(part).toBeVisible()
    expect(await part.evaluate((element) => element.scrollWidth <= element.clientWidth)).toBe(true)
  }
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
})
