import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './fixtures.ts'

/** Returns a unique word: each test finds only its own users by it. */
const uniqueWord = (name: string) => `${name}${Math.random().toString(36).slice(2, 8)}`

async function importUsers(page: Page, lines: string[]) {
  const headers = { 'content-type': 'text/csv', 'sec-fetch-site': 'same-origin' }
  const checked = await page.request.post('/passport/admin/users/imports', { headers, data: lines.join('\n') })
  const { importId } = (await checked.json()) as { importId: string }
  const path = `/passport/admin/users/imports/${importId}`
  await page.request.post(`${path}/apply`, { headers: { 'sec-fetch-site': 'same-origin' } })
  await expect.poll(async () => (await (await page.request.get(path)).json()).state).toBe('applied')
}
const addUsers = (page: Page, word: string, count: number) =>
  importUsers(page, [
    'displayname,username,email',
    ...Array.from({ length: count }, (_, index) => `${word} ${index},${word}.${index},${word}.${index}@example.com`),
  ])
/** Removes expected failures from the browser's log. */
const removeExpectedErrors = (consoleErrors: string[], status: number) => {
  const remaining = consoleErrors.filter((text) => !text.includes(`status of ${status}`))
  consoleErrors.splice(0, consoleErrors.length, ...remaining)
}
const findUserRows = (page: Page) => page.locator('[data-row]')
const findSearchBox = (page: Page) => page.getByRole('searchbox', { name: 'Search users' })
const findToast = (page: Page, text: string | RegExp) => page.getByText(text).last()

async function chooseAction(page: Page, action: string) {
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

test('searches the list while typing, and Back restores search, page and scroll position', async ({ as }) => {
  const page = await as('ada')
  const word = uniqueWord('ana')
  await addUsers(page, word, 60)
  await page.goto('/app/admin/users')
  await expect(page).toHaveTitle(/^Admin \| /)
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()

  const queries: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/passport/admin/users') queries.push(searchParams.get('query') ?? '')
  })
  await findSearchBox(page).pressSequentially(word, { delay: 20 })
  await expect(page).toHaveURL(new RegExp(`\\?q=${word}$`))
  await expect(page.getByText('60 users')).toBeVisible()
  expect(queries.filter((query) => query === word)).toHaveLength(1)

  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page).toHaveURL(/page=2/)
  await expect(page.getByText('26–50 of 60')).toBeVisible()
  await findUserRows(page).nth(20).scrollIntoViewIfNeeded()
  // The router ignores scrolling before it has rendered the page, which a slow machine does late.
  const scrolled = await page.evaluate(async () => {
    for (let frame = 0; frame < 30; frame++) {
      await new Promise(requestAnimationFrame)
      scrollBy(0, frame % 2 === 0 ? -1 : 1)
    }
    return scrollY
  })
  await findUserRows(page).nth(20).click()
  await expect(page).toHaveURL(/\/app\/admin\/users\/[\w-]+$/)
  // Going back before the page is rendered would store its scroll position for the list.
  await expect(page.getByRole('heading', { level: 1, name: new RegExp(word, 'i') })).toBeVisible()
  await page.goBack()
  await expect(page.getByText('26–50 of 60')).toBeVisible()
  await expect(findSearchBox(page)).toHaveValue(word)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(scrolled)

  await page.goto('/app/admin/users?q=123')
  await expect(findSearchBox(page)).toHaveValue('123')
  await expect(page.getByText('0 users', { exact: true })).toBeVisible()
})

test('disables all matching users, enables them with Undo, and reports failures', async ({ as }) => {
  const page = await as('ada')
  const word = uniqueWord('bulk')
  await addUsers(page, word, 30)
  await page.goto(`/app/admin/users?q=${word}&limit=25`)
  await page.getByRole('checkbox', { name: /all/i }).first().check()
  await expect(page.getByText('25 users selected')).toBeVisible()
  await page.getByRole('button', { name: /Select all 30 users/ }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  // The toast stays while the pointer is over it.
  await findToast(page, '30 users disabled').hover()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Disabled')
  await expect(page.getByText('30 users', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(findToast(page, 'Undone')).toBeVisible()
  await expect(page.getByText('0 users', { exact: true })).toBeVisible()

  await page.goto('/app/admin/users?q=ada@passport.example')
  await page.getByRole('checkbox', { name: /all/i }).first().check()
  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByText("You can't do this to your own account in bulk.")).toBeVisible()
  await expectAccessible(page)
})

test('deletes many users after their number is typed, in batches that Cancel stops, and restores them', async ({
  as,
}) => {
  const page = await as('ada')
  const word = uniqueWord('many')
  await addUsers(page, word, 101)
  await page.goto(`/app/admin/users?q=${word}&limit=25`)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: /Select all 101 users/ }).click()

  // The first batch waits until Cancel is pressed.
  const cancelled = Promise.withResolvers<void>()
  let deletions = 0
  await page.route('**/passport/admin/users/bulk', async (route) => {
    const { dryRun } = route.request().postDataJSON() as { dryRun?: boolean }
    if (!dryRun && ++deletions === 1) await cancelled.promise
    await route.continue()
  })
  await page.getByRole('button', { name: 'Delete' }).click()
  const question = page.getByRole('alertdialog', { name: 'Delete 101 users?' })
  await expect(question).toContainText('You can restore them for 30 days.')
  await expectAccessible(page)
  await question.getByLabel('Type 101 to confirm').fill('100')
  await expect(question.getByRole('button', { name: 'Delete 101 users' })).toBeDisabled()
  await question.getByLabel('Type 101 to confirm').fill('101')
  await question.getByRole('button', { name: 'Delete 101 users' }).click()
  await expect(page.getByText('Deleting 0 of 101…')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('toolbar', { name: 'Bulk actions' }).getByRole('button', { name: 'Cancel' }).click()
  cancelled.resolve()
  await findToast(page, '100 users deleted, 1 not reached').hover()
  await expect(page.getByText('1 user', { exact: true })).toBeVisible()
  expect(deletions).toBe(1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('101 users', { exact: true })).toBeVisible()
})

test('opens a user from the menu of a row', async ({ as }) => {
  const page = await as('ada')
  await page.goto('/app/admin/users?q=eve@passport.example')
  const menu = page.getByRole('button', { name: 'Actions for Eve Moreau' })
  await menu.click()
  await expectAccessible(page)
  await page.keyboard.press('End')
  await expect(page.getByRole('menuitem', { name: 'Delete' })).toBeFocused()
  await page.getByRole('menuitem', { name: 'View' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Eve Moreau' })).toBeVisible()
})

test('a small window shows the first user without scrolling, and has the filters in a dialog', async ({ as }) => {
  const page = await as('ada', { viewport: { width: 390, height: 844 }, hasTouch: true })
  await page.goto('/app/admin/users')
  const top = async () => (await findUserRows(page).first().boundingBox())?.y ?? Number.POSITIVE_INFINITY
  await expect(findUserRows(page).first()).toBeVisible()
  const before = await top()
  expect(before).toBeLessThan(260)
  await findSearchBox(page).fill('eve')
  await expect(page).toHaveURL(/q=eve/)
  await expect.poll(top).toBe(before)
  await page.getByRole('button', { name: 'Filters' }).click()
  const sheet = page.getByRole('dialog', { name: 'Filters' })
  await sheet.getByRole('combobox', { name: 'Status' }).selectOption('Active')
  await expectAccessible(page)
  await sheet.getByRole('button', { name: 'Show results' }).click()
  await expect(page).toHaveURL(/status=active/)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await page.getByRole('button', { name: 'More actions' }).click()
  await expect(page.getByRole('menuitem', { name: 'Invite by email' })).toBeVisible()
})

test('creates a user, with errors at their fields and no prompt after saving', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  const word = uniqueWord('new')
  await page.goto('/app/admin/users/create')
  await expect(page).toHaveTitle(/^Create User \| /)
  await page.getByLabel('Display name').fill(`Person ${word}`)
  await page.getByLabel('Email', { exact: true }).fill('nobody')
  await page.getByRole('button', { name: 'Create user' }).click()
  const email = page.getByLabel('Email', { exact: true })
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription(/Must be an email address/)
  await expectAccessible(page)

  await email.fill('eve@passport.example')
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription('A user with this email already exists.')
  page.once('dialog', (dialog) => void dialog.accept())

  await page.goto('/app/admin/users')
  await page.getByRole('link', { name: 'Create user' }).click()
  await page.getByLabel('Display name').fill('Half')
  await page.goBack()
  await expect(page.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByLabel('Display name').fill(`Whole ${word}`)
  await page.getByRole('button', { name: 'Create user' }).click()
  await expect(findToast(page, 'User created')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: `Whole ${word}` })).toBeVisible()
  await expect(page).toHaveTitle(new RegExp(`^Whole ${word} \\| `))
  removeExpectedErrors(consoleErrors, 400)
  removeExpectedErrors(consoleErrors, 409)
})

test('edits a user, compares a concurrent change, and reports a missing user', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  const word = uniqueWord('edit')
  await addUsers(page, word, 1)
  await page.goto(`/app/admin/users?q=${word}`)
  await findUserRows(page).first().click()
  await expect(page.getByRole('img', { name: 'No sign-ins in the last 90 days' })).toBeVisible()
  await page.getByRole('button', { name: 'Edit' }).click()
  await expect(page.getByLabel('Display name')).toBeFocused()
  await expectAccessible(page)
  await page.getByLabel('Username').fill('ada')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(page.getByLabel('Username')).toHaveAccessibleDescription(/taken/)
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await page.getByLabel('Username').fill(`${word}.free`)
  await page.getByLabel('Display name').fill(`Mine ${word}`)
  const path = `/passport/admin/users/${new URL(page.url()).pathname.split('/').at(-1)}`
  const headers = { 'sec-fetch-site': 'same-origin' }
  const user = await (await page.request.get(path)).json()
  await page.request.put(path, { headers, data: { ...user, displayname: `Theirs ${word}` } })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await expect(dialog.getByText(`Theirs ${word}`)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: /Save/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Mine ${word}` })).toBeVisible()
  await expect(page.getByLabel('Display name')).toBeHidden()

  await page.goto('/app/admin/users/unknown')
  await expect(page.getByRole('heading', { name: 'User not found' })).toBeVisible()
  await page.getByRole('link', { name: 'Users', exact: true }).last().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  removeExpectedErrors(consoleErrors, 409)
  removeExpectedErrors(consoleErrors, 412)
  removeExpectedErrors(consoleErrors, 404)
})

test('filters users by role and organisation, and links to invitations', async ({ as }) => {
  const page = await as('ada')
  const word = uniqueWord('narrow')
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const role = `E2e.${word.charAt(0).toUpperCase()}${word.slice(1).replace(/[^A-Za-z0-9]/g, '')}`
  await page.request.post('/passport/admin/roles', { headers, data: { name: role, description: 'For a test' } })
  await page.request.post('/passport/admin/orgs', { headers, data: { name: `Org ${word}` } })

  await page.goto('/app/admin/users')
  await page.getByRole('combobox', { name: 'Role' }).selectOption(role)
  await expect(page).toHaveURL(new RegExp(`role=${role.replace('.', '\\.')}`))
  await expect(page.getByText('No users match')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('button', { name: 'Any organisation' }).click()
  // The first ones are listed before anything is typed.
  await expect(page.getByRole('option', { name: /\S/ }).locator('visible=true').first()).toBeVisible()
  await page.getByRole('combobox', { name: 'Organisation', exact: true }).fill(word)
  await page.getByRole('option', { name: `Org ${word}` }).click()
  await expect(page).toHaveURL(/org=/)
  await page.keyboard.press('Escape')
  await expect(page.getByRole('button', { name: `Clear Organisation: Org ${word}` })).toBeVisible()
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('button', { name: `Clear Organisation: Org ${word}` }).click()
  await expect(page).not.toHaveURL(/org=/)

  await page.getByRole('link', { name: 'Invitations' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Invitations' })).toBeVisible()
  await page.goto('/app/admin/users/create')
  await page.getByLabel('Display name').fill(`Roled ${word}`)
  await page.getByRole('combobox', { name: 'Roles' }).fill(role)
  await page.getByRole('option', { name: role }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create user' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Roled ${word}` })).toBeVisible()
})

test('adds a role after a preview, and removes it with Undo', async ({ as }) => {
  const page = await as('ada')
  const word = uniqueWord('role')
  await addUsers(page, word, 1)
  await page.goto(`/app/admin/users?q=${word}`)
  await findUserRows(page).first().click()
  await page.getByRole('link', { name: 'Access', exact: false }).first().click()
  await page.getByRole('button', { name: 'Add roles' }).click()
  await page.getByRole('combobox', { name: 'Roles' }).fill('passport')
  await page.getByRole('option', { name: /Passport.Developer/ }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add 1 role' }).click()
  const confirmation = page.getByRole('alertdialog')
  await expect(confirmation).toContainText('Gains 1 role')
  await expect(confirmation).toContainText('Passport.Developer')
  await expectAccessible(page)
  await confirmation.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByText('Added by Ada Lovelace')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('No roles')).toBeVisible()
})

test('disables a user with Undo, and deletes one after the username is typed', async ({ as, asNew }) => {
  const page = await as('ada')
  const gil = await asNew('gil', 'Gil Roca')
  await page.goto('/app/admin/users?q=gil@passport.example')
  await findUserRows(page).first().click()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const tabs = [
    ['Sign-in methods', 'Sign-in methods'],
    ['Sessions', 'Sessions'],
    ['Preferences', 'Preferences'],
    ['Activity', 'Activity'],
    ['Overview', 'Sign-ins, last 90 days'],
  ] as const
  for (const [tab, heading] of tabs) {
    await page.getByRole('navigation', { name: 'Gil Roca' }).getByRole('link', { name: tab }).click()
    await expect(page.getByRole('heading', { level: 2, name: heading, exact: true }).first()).toBeVisible()
  }
  await expect(page.getByRole('img', { name: /^Sign-ins per day .* 1 succeeded/ })).toBeVisible()
  await chooseAction(page, 'Disable')
  await expect(findToast(page, 'Gil Roca disabled')).toBeVisible()
  expect((await gil.request.get('/passport/apphelper/user')).status()).toBe(401)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()

  await chooseAction(page, 'Delete')
  const confirmation = page.getByRole('alertdialog')
  await expect(confirmation.getByRole('button', { name: 'Delete user' })).toBeDisabled()
  await confirmation.getByLabel('Type gil to confirm').fill('gil')
  await confirmation.getByRole('button', { name: 'Delete user' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/users$/)
  expect((await page.request.get(`/passport/admin/users/${id}`)).status()).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await page.request.get(`/passport/admin/users/${id}`)).status()).toBe(200)
})

test('shows a disabled and a deleted user at once, and the previous list after a failure', async ({
  as,
  consoleErrors,
}) => {
  const page = await as('ada')
  const word = uniqueWord('fast')
  await addUsers(page, word, 2)
  await page.goto(`/app/admin/users?q=${word}`)
  const row = page.getByRole('row', { name: `${word} 0` })
  const chooseRowAction = async (action: string) => {
    await row.getByRole('button', { name: /Actions/ }).click()
    await page.getByRole('menuitem', { name: action }).click()
  }
  const responses = Promise.withResolvers<void>()
  await page.route('**/actions/disable*', async (route) => {
    await responses.promise
    await route.fulfill({ status: 500, json: {} })
  })
  await chooseRowAction('Disable')
  await expect(row).toContainText('Disabled')
  responses.resolve()
  await expect(findToast(page, /Couldn't disable the user/)).toBeVisible()
  await expect(row).toContainText('Invited')
  removeExpectedErrors(consoleErrors, 500)

  await chooseRowAction('Delete')
  const confirmation = page.getByRole('alertdialog')
  await confirmation.getByLabel(`Type ${word}.0 to confirm`).fill(`${word}.0`)
  await confirmation.getByRole('button', { name: 'Delete user' }).click()
  await expect(findToast(page, 'User deleted')).toBeVisible()
  await expect(row).toHaveCount(0)
  await expect(page).toHaveURL(new RegExp(`/app/admin/users\\?q=${word}$`))
})

test('checks, applies and undoes a file import, and exports the filtered users', async ({ as }) => {
  const page = await as('ada')
  const word = uniqueWord('file')
  const role = `Desk.${word.charAt(0).toUpperCase()}${word.slice(1)}`
  const headers = { 'sec-fetch-site': 'same-origin' }
  await page.request.post('/passport/admin/roles', { headers, data: { name: role, description: 'Answers requests' } })
  await page.goto('/app/admin/users/import')
  const text = [
    'displayname;User name;mail;roles;groups;Shoe size',
    `Fine ${word};${word}.1;;${role};;`,
    `Bad ${word};a b;nobody;;;`,
    `Admin ${word};${word}.2;;Passport.Admin;;`,
  ].join('\n')
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await expect(page.getByText('3 rows · 1 valid · 2 with errors')).toBeVisible()
  await expect(page.getByText('UTF-8, separated by semicolons')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Ignored columns' })).toContainText(
    'groups (only by npm run import), Shoe size',
  )
  const invalid = page.getByRole('row').filter({ hasText: 'a b' })
  await expect(invalid).toContainText('User name: Not a valid username.')
  await expect(invalid).toContainText('mail: Not a valid email address.')
  await expect(page.getByRole('row').filter({ hasText: `Admin ${word}` })).toContainText(
    /can't give Passport's own roles/,
  )
  await expect(page.getByRole('region', { name: 'Roles given' })).toContainText(`${role} 1 user`)
  await expect(page.getByRole('link', { name: 'Download template' })).toHaveAttribute('href', /^data:text\/csv/)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Import 1 user' }).click()
  await expect(page.getByText('1 added · 2 skipped')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Roles given' })).toBeHidden()

  await page.goto(`/app/admin/users?q=${word}`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page
      .getByRole('button', { name: 'More actions' })
      .click()
      .then(() => page.getByRole('menuitem', { name: 'Export CSV' }).click()),
  ])
  expect(download.suggestedFilename()).toMatch(/^users-.*\.csv$/)
  expect(await readFile(await download.path(), 'utf8')).toContain(`Fine ${word}`)

  await page.goto('/app/admin/users/import')
  await page.getByRole('link', { name: '3 rows' }).first().click()
  await page.getByRole('button', { name: 'Undo import' }).click()
  const question = page.getByRole('alertdialog', { name: 'Undo the import of 1 user?' })
  await question.getByRole('button', { name: 'Undo import' }).click()
  await expect(page.getByText('1 added · 1 deleted · 2 skipped')).toBeVisible()
})
