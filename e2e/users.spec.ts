import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './cast.ts'

/** People of each test's own, found by a word that no other test has. */
const wordOf = (name: string) => `${name}${Math.random().toString(36).slice(2, 8)}`

async function import_(page: Page, lines: string[]) {
  const headers = { 'content-type': 'text/csv', 'sec-fetch-site': 'same-origin' }
  const checked = await page.request.post('/passport/admin/users/imports', { headers, data: lines.join('\n') })
  const { importId } = (await checked.json()) as { importId: string }
  const path = `/passport/admin/users/imports/${importId}`
  await page.request.post(`${path}/apply`, { headers: { 'sec-fetch-site': 'same-origin' } })
  await expect.poll(async () => (await (await page.request.get(path)).json()).state).toBe('applied')
}
const addPeople = (page: Page, word: string, count: number) =>
  import_(page, [
    'displayname,username,email',
    ...Array.from({ length: count }, (_, at) => `${word} ${at},${word}.${at},${word}.${at}@example.com`),
  ])
/** The browser tells of each answer that is no success; these were meant. */
const forgive = (complaints: string[], status: number) => {
  const others = complaints.filter((text) => !text.includes(`status of ${status}`))
  complaints.splice(0, complaints.length, ...others)
}
const rows = (page: Page) => page.locator('[data-row]')
const box = (page: Page) => page.getByRole('searchbox', { name: 'Search users' })
const toast = (page: Page, text: string | RegExp) => page.getByText(text).last()

test('the list is searched by typing, and Back restores word, page and place', async ({ as }) => {
  const page = await as('ada')
  const word = wordOf('ana')
  await addPeople(page, word, 60)
  await page.goto('/app/admin/users')
  await expect(page).toHaveTitle(/^Admin \| /)
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()

  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname === '/passport/admin/users') asked.push(searchParams.get('query') ?? '')
  })
  await box(page).pressSequentially(word, { delay: 20 })
  await expect(page).toHaveURL(new RegExp(`\\?q=${word}$`))
  await expect(page.getByText('60 people')).toBeVisible()
  expect(asked.filter((query) => query === word)).toHaveLength(1)

  await page.getByRole('button', { name: 'Next' }).click()
  await expect(page).toHaveURL(/page=2/)
  await expect(page.getByText('26–50 of 60')).toBeVisible()
  await rows(page).nth(20).scrollIntoViewIfNeeded()
  // The router notes where one is ten times a second; no hand clicks sooner after it scrolled.
  const scrolled = await page.evaluate(async () => {
    for (let frame = 0; frame < 15; frame++) await new Promise(requestAnimationFrame)
    return scrollY
  })
  await rows(page).nth(20).click()
  await expect(page).toHaveURL(/\/app\/admin\/users\/[\w-]+$/)
  await page.goBack()
  await expect(page.getByText('26–50 of 60')).toBeVisible()
  await expect(box(page)).toHaveValue(word)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(scrolled)

  await page.goto('/app/admin/users?q=123')
  await expect(box(page)).toHaveValue('123')
  await expect(page.getByText('0 people', { exact: true })).toBeVisible()
})

test('many are chosen, disabled, and brought back by Undo; who could not be is told', async ({ as }) => {
  const page = await as('ada')
  const word = wordOf('bulk')
  await addPeople(page, word, 30)
  await page.goto(`/app/admin/users?q=${word}&limit=25`)
  await page.getByRole('checkbox', { name: /all/i }).first().check()
  await expect(page.getByText('25 people selected').or(page.getByText('25 people chosen'))).toBeVisible()
  await page.getByRole('button', { name: /Select all 30 people/ }).click()
  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(toast(page, '30 people disabled')).toBeVisible()
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Disabled')
  await expect(page.getByText('30 people', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(toast(page, 'Undone')).toBeVisible()
  await expect(page.getByText('0 people', { exact: true })).toBeVisible()

  await page.goto('/app/admin/users?q=ada@passport.example')
  await page.getByRole('checkbox', { name: /all/i }).first().check()
  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByText('Is you: do this on your own page.')).toBeVisible()
  await expectAccessible(page)
})

test('a person is created: faults at their fields, and no question after saving', async ({ as, complaints }) => {
  const page = await as('ada')
  const word = wordOf('new')
  await page.goto('/app/admin/users/create')
  await expect(page).toHaveTitle(/^Create User \| /)
  await page.getByLabel('Display name').fill(`Person ${word}`)
  await page.getByLabel('E-mail', { exact: true }).fill('nobody')
  await page.getByRole('button', { name: 'Create' }).click()
  const email = page.getByLabel('E-mail', { exact: true })
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription(/Must be an e-mail address/)
  await expectAccessible(page)

  await email.fill('eve@passport.example')
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(email).toBeFocused()
  await expect(email).toHaveAccessibleDescription('Someone else has this e-mail.')
  page.once('dialog', (dialog) => void dialog.accept())

  await page.goto('/app/admin/users')
  await page.getByRole('link', { name: 'Create user' }).click()
  await page.getByLabel('Display name').fill('Half')
  await page.goBack()
  await expect(page.getByRole('alertdialog', { name: 'Leave without saving?' })).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByLabel('Display name').fill(`Whole ${word}`)
  await page.getByRole('button', { name: 'Create' }).click()
  await expect(toast(page, `Whole ${word} is created`)).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name: `Whole ${word}` })).toBeVisible()
  await expect(page).toHaveTitle(new RegExp(`^Whole ${word} \\| `))
  forgive(complaints, 400)
  forgive(complaints, 409)
})

test('a person is changed; who was faster is compared; who is not there is told', async ({ as, complaints }) => {
  const page = await as('ada')
  const word = wordOf('edit')
  await addPeople(page, word, 1)
  await page.goto(`/app/admin/users?q=${word}`)
  await rows(page).first().click()
  await page.getByLabel('Display name').fill(`Mine ${word}`)
  const path = `/passport/admin/users/${new URL(page.url()).pathname.split('/').at(-1)}`
  const headers = { 'sec-fetch-site': 'same-origin' }
  await page.request.put(path, { headers, data: { displayname: `Theirs ${word}` } })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog').or(page.getByRole('alertdialog'))
  await expect(dialog.getByText(`Theirs ${word}`)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: /Save/ }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Mine ${word}` })).toBeVisible()

  await page.goto('/app/admin/users/nobody')
  await expect(page.getByRole('heading', { name: 'There is no such user' })).toBeVisible()
  await page.getByRole('link', { name: 'Users', exact: true }).last().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Users' })).toBeVisible()
  forgive(complaints, 412)
  forgive(complaints, 404)
})

test('people are narrowed to a role and to an organisation, and invited from the list', async ({ as }) => {
  const page = await as('ada')
  const word = wordOf('narrow')
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const role = `E2e.${word.charAt(0).toUpperCase()}${word.slice(1).replace(/[^A-Za-z0-9]/g, '')}`
  await page.request.post('/passport/admin/roles', { headers, data: { name: role, description: 'For a test' } })
  await page.request.post('/passport/admin/orgs', { headers, data: { name: `Org ${word}` } })

  await page.goto('/app/admin/users')
  await page.getByRole('combobox', { name: 'Role' }).selectOption(role)
  await expect(page).toHaveURL(new RegExp(`role=${role.replace('.', '\\.')}`))
  await expect(page.getByText('No people match')).toBeVisible()
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('button', { name: 'Any organisation' }).click()
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
  await page.getByRole('checkbox', { name: new RegExp(`^${role}`) }).check()
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('heading', { level: 1, name: `Roled ${word}` })).toBeVisible()
})

test('roles are given after a look at what comes of it, and taken back', async ({ as }) => {
  const page = await as('ada')
  const word = wordOf('role')
  await addPeople(page, word, 1)
  await page.goto(`/app/admin/users?q=${word}`)
  await rows(page).first().click()
  await page.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('combobox', { name: 'Give roles' }).fill('passport')
  await page.getByRole('option', { name: /Passport.Developer/ }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Give', exact: true }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('1 person gains Passport.Developer')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Give' }).click()
  await expect(page.getByText('given by Ada Lovelace')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('No roles.')).toBeVisible()
})

test('whoever is shut out is out, and comes back by Undo; delete wants the name', async ({ as, asNew }) => {
  const page = await as('ada')
  const gil = await asNew('gil', 'Gil Roca')
  await page.goto('/app/admin/users?q=gil@passport.example')
  await rows(page).first().click()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  for (const tab of ['Logins', 'Sessions', 'Preferences', 'Activity', 'Profile']) {
    await page.getByRole('navigation', { name: 'Gil Roca' }).getByRole('link', { name: tab }).click()
    await expect(page.getByRole('heading', { level: 2, name: tab })).toBeVisible()
  }
  await page.getByRole('button', { name: 'Disable' }).click()
  await expect(toast(page, 'Gil Roca is disabled')).toBeVisible()
  expect((await gil.request.get('/passport/apphelper/user')).status()).toBe(401)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Active', { exact: true })).toBeVisible()

  await page.getByRole('button', { name: 'Delete …' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question.getByRole('button', { name: 'Delete user' })).toBeDisabled()
  await question.getByLabel('Type gil to confirm').fill('gil')
  await question.getByRole('button', { name: 'Delete user' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/users$/)
  expect((await page.request.get(`/passport/admin/users/${id}`)).status()).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(async () => (await page.request.get(`/passport/admin/users/${id}`)).status()).toBe(200)
})

test('a file is checked, added and taken back; an export has who was found', async ({ as }) => {
  const page = await as('ada')
  const word = wordOf('file')
  await page.goto('/app/admin/users/import')
  const text = `displayname,username,email\nFine ${word},${word}.1,\nBad ${word},a b,\n`
  await page
    .getByLabel('CSV file')
    .setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await expect(page.getByText('2 rows: 1 can be added, 1 cannot.')).toBeVisible()
  await expect(page.getByText('This is no username.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add 1 person' }).click()
  await expect(page.getByText('1 added, 1 not.')).toBeVisible()

  await page.goto(`/app/admin/users?q=${word}`)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^users-.*\.csv$/)
  expect(await readFile(await download.path(), 'utf8')).toContain(`Fine ${word}`)

  await page.goto('/app/admin/users/import')
  await page.getByRole('link', { name: '2 rows' }).first().click()
  await page.getByRole('button', { name: 'Take back' }).click()
  await expect(page.getByText('1 added, 1 of them taken back, 1 not.')).toBeVisible()
})
