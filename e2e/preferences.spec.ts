import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

/** Returns a unique key: each test has its own keys, because the tests of a worker share the users. */
const uniqueKey = (name: string) => `${name}.${Math.random().toString(36).slice(2, 8)}`

const recordRequests = (page: Page) => {
  const requests: { method: string; path: string; type: string | undefined; body: string | null }[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/passport/preferences/me/')) return
    requests.push({
      method: request.method(),
      path: pathname,
      type: request.headers()['content-type'],
      body: request.postData(),
    })
  })
  return requests
}

async function add(page: Page, key: string, value: string) {
  await page.getByPlaceholder('Key (e.g. MyApp.Preference)').fill(key)
  await page.getByPlaceholder('Value (e.g. myvalue)').fill(value)
  await page.getByRole('button', { name: 'Add' }).click()
}
const findKeyField = (page: Page, key: string) => page.getByLabel(`Key of ${key}`, { exact: true })
const findValueField = (page: Page, key: string) => page.getByLabel(`Value of ${key}`, { exact: true })
/** Opens the editor of a preference, and types its new value or key. */
async function edit(page: Page, name: string, { key, value }: { key?: string; value?: string }) {
  const editor = page.getByRole('group', { name: `Edit ${name}`, exact: true })
  if (!(await editor.isVisible())) await page.getByRole('button', { name: `Edit ${name}`, exact: true }).click()
  if (key !== undefined) await editor.getByLabel('Key').fill(key)
  if (value !== undefined) await editor.getByLabel('Value').fill(value)
  return editor
}
const reload = async (page: Page) => {
  await page.reload()
  await expect(page.getByPlaceholder('Key (e.g. MyApp.Preference)')).toBeVisible()
}

for (const [user, path] of [
  ['eve', '/app/account/preferences'],
  ['dev', '/app/developer/preferences'],
] as const) {
  test(`adds, changes and deletes a preference at ${path}`, async ({ as }) => {
    const page = await as(user)
    const requests = recordRequests(page)
    const key = uniqueKey('a/b 100% #')
    await page.goto(path)
    await add(page, key, 'dark')
    await expect(findKeyField(page, key)).toHaveValue(key)
    await expect(page.getByPlaceholder('Key (e.g. MyApp.Preference)')).toHaveValue('')
    await expect(page.getByText(`${key} saved`)).toBeHidden()
    await expect
      .poll(() => requests.at(-1))
      .toEqual({
        method: 'PUT',
        path: `/passport/preferences/me/${encodeURIComponent(key)}`,
        type: 'text/plain',
        body: 'dark',
      })

    // A row that is being saved cannot be saved again.
    await expect(page.getByRole('button', { name: `Delete ${key}` })).toBeEnabled()
    const editor = await edit(page, key, { value: 'light' })
    await editor.getByLabel('Value').press('Control+Enter')
    await expect(page.getByText(`${key} saved`)).toBeVisible()
    await reload(page)
    await expect(findValueField(page, key)).toHaveValue('light')

    requests.length = 0
    await page.getByRole('button', { name: `Delete ${key}` }).click()
    await expect(findKeyField(page, key)).toBeHidden()
    expect(requests.map(({ method, body }) => [method, body ?? ''])).toEqual([['PUT', '']])
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect(findValueField(page, key)).toHaveValue('light')
    await page.getByRole('button', { name: `Delete ${key}` }).click()
    await expect(findKeyField(page, key)).toBeHidden()
    await reload(page)
    await expect(findKeyField(page, key)).toBeHidden()
  })
}

test('shows a row before it is saved, and keeps it if saving fails', async ({ as, consoleErrors }) => {
  const page = await as('eve')
  const key = uniqueKey('failing')
  await page.goto('/app/account/preferences')
  await page.route(`**/passport/preferences/me/${key}`, (route) =>
    route.fulfill({ status: 500, contentType: 'text/plain', body: 'no' }),
  )
  await add(page, key, 'v')
  const alert = `Failed to update key ${key}: status 500 Internal Server Error`
  await expect(page.getByRole('alert').filter({ hasText: alert }).first()).toBeVisible()
  await expect(page.locator('.Toastify__toast').filter({ hasText: alert })).toBeVisible()
  await expect(findKeyField(page, key)).toHaveValue(key)
  await expect(page.getByText('Not saved ·')).toBeVisible()
  await expectAccessible(page)
  await page.unroute(`**/passport/preferences/me/${key}`)
  const saved = page.waitForResponse((response) => response.url().endsWith(key) && response.ok())
  await page.getByRole('button', { name: 'Retry' }).click()
  await saved
  await expect(page.getByText('Not saved ·')).toBeHidden()
  await reload(page)
  await expect(findValueField(page, key)).toHaveValue('v')

  await page.route(`**/passport/preferences/me/${key}`, (route) =>
    route.fulfill({ status: 409, contentType: 'text/plain', body: 'no' }),
  )
  await page.getByRole('button', { name: `Delete ${key}` }).click()
  await expect(
    page
      .getByRole('alert')
      .filter({ hasText: `Failed to update key ${key}: status 409 Conflict` })
      .first(),
  ).toBeVisible()
  await expect(findKeyField(page, key)).toBeVisible()
  consoleErrors.length = 0
})

test('explains the side effects of a save before it', async ({ as }) => {
  const page = await as('eve')
  const [oldKey, newKey] = [uniqueKey('old'), uniqueKey('next')]
  await page.goto('/app/account/preferences')
  await add(page, oldKey, 'v')
  const editor = await edit(page, oldKey, {})
  await expect(editor.getByRole('button', { name: 'Save' })).toBeDisabled()
  await edit(page, oldKey, { key: newKey })
  await expect(page.getByText(`Saving as a new key; ‘${oldKey}’ stays`)).toBeVisible()
  await expectAccessible(page)
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect(findKeyField(page, newKey)).toBeVisible()
  await expect(findKeyField(page, oldKey)).toBeVisible()
  const cleared = await edit(page, newKey, { value: '' })
  await expect(page.getByText('Saving an empty value deletes this key')).toBeVisible()
  await cleared.getByRole('button', { name: 'Save' }).click()
  await expect(findKeyField(page, newKey)).toBeHidden()
  await reload(page)
  await expect(findKeyField(page, oldKey)).toBeVisible()
  await expect(findKeyField(page, newKey)).toBeHidden()
})

test('reports an invalid key at its field, and disables Add', async ({ as }) => {
  const page = await as('eve')
  await page.goto('/app/account/preferences')
  for (const [key, reason] of [
    ['..', 'A key must not be “.” or “..”.'],
    ['x'.repeat(257), 'A key must have 1 to 256 characters.'],
  ] as const) {
    await page.getByLabel('New key').fill(key)
    await expect(page.getByText(reason)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add' })).toBeDisabled()
  }
  await page.getByLabel('New key').fill('')
  await expect(page.getByRole('button', { name: 'Add' })).toBeDisabled()
  await page.getByLabel('New value').fill('v')
  await expect(page.getByText('Enter a key')).toBeVisible()
})

test('confirms leaving the page with unsaved changes', async ({ as }) => {
  const page = await as('eve')
  const key = uniqueKey('unsaved')
  await page.goto('/app/account/preferences')
  await add(page, key, 'v')
  const editor = await edit(page, key, { value: 'changed' })
  await page.getByRole('link', { name: 'Sign-in and sessions' }).click()
  const confirmation = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await expect(confirmation).toContainText('1 unsaved row will be lost.')
  await expectAccessible(page)
  await confirmation.getByRole('button', { name: 'Cancel' }).click()
  await expect(editor.getByLabel('Value')).toHaveValue('changed')
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText(`${key} saved`)).toBeVisible()
  await page.getByRole('link', { name: 'Sign-in and sessions' }).click()
  await expect(page).toHaveURL(/\/account\/logins$/)
})

test('keeps the filter in the URL, and exports and imports a file', async ({ as }) => {
  const page = await as('max')
  const [first, second] = [uniqueKey('Find.One'), uniqueKey('Other.Two')]
  await page.goto('/app/account/preferences')
  await add(page, first, '1')
  await add(page, second, '2')
  await page.getByLabel('Filter preferences').fill('find.one')
  await expect(page).toHaveURL(/\?q=find\.one$/)
  await expect(findKeyField(page, second)).toBeHidden()
  await page.getByLabel('Filter preferences').fill('nothing has this')
  await expect(page.getByText('No preferences match')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(findKeyField(page, second)).toBeVisible()

  await page.getByLabel('Namespace').selectOption('Other.')
  await expect(page).toHaveURL(/\?namespace=Other\.$/)
  await expect(findKeyField(page, first)).toBeHidden()
  await expect(findKeyField(page, second)).toBeVisible()
  await page.getByLabel('Namespace').selectOption('')
  await page.getByRole('button', { name: 'Manage' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(exported).toMatchObject({ [first]: '1', [second]: '2' })

  const [third, fourth] = [uniqueKey('Three'), uniqueKey('Four')]
  const file = {
    name: 'some.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ [third]: '3', [fourth]: '4' })),
  }
  await page.getByLabel('File to import').setInputFiles(file)
  await expect(page.getByText('2 of 2 imported')).toBeVisible()
  await page.getByLabel('File to import').setInputFiles({ ...file, buffer: Buffer.from('[1, 2]') })
  await expect(page.getByText('some.json must be a JSON object with text values')).toBeVisible()
  await reload(page)
  await expect(findValueField(page, fourth)).toHaveValue('4')
})

test('shows each preference as a card in a small window', async ({ as }) => {
  const page = await as('eve', { viewport: { width: 390, height: 844 } })
  const key = uniqueKey('a.long.key.of.an.app.that.likes.long.keys')
  await page.goto('/app/account/preferences')
  await add(page, key, 'a long value '.repeat(20))
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  const [keyBox, valueBox] = [
    await findKeyField(page, key).boundingBox(),
    await findValueField(page, key).boundingBox(),
  ]
  expect(valueBox?.y).toBeGreaterThan((keyBox?.y ?? 0) + (keyBox?.height ?? 0))
})

test('shows the failure of the list with its support code, and retries', async ({ as, consoleErrors }) => {
  const page = await as('eve')
  await page.route(/\/passport\/preferences\/me\?/, (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      json: {
        type: 'x',
        title: 'Service Unavailable',
        status: 503,
        detail: 'The database is not responding.',
        code: 'database-unavailable',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        supportCode: '0AF7-6519',
      },
    }),
  )
  await page.goto('/app/account/preferences')
  await expect(page.getByText("Couldn't load your preferences")).toBeVisible()
  await expect(page.getByText('0AF7-6519')).toBeVisible()
  await expectAccessible(page)
  await page.unroute(/\/passport\/preferences\/me\?/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByPlaceholder('Key (e.g. MyApp.Preference)')).toBeVisible()
  consoleErrors.length = 0
})

test('skips an empty key of an imported file with the reason, and shows the added rows despite a filter', async ({
  as,
}) => {
  const page = await as('eve')
  const requests: string[] = []
  page.on('request', (request) => request.method() === 'PUT' && requests.push(new URL(request.url()).pathname))
  await page.goto('/app/account/preferences?q=nothing-has-this')
  const content = JSON.stringify({ '': 'v', 'e2e.beside': 'w' })
  await page.getByRole('button', { name: 'Manage' }).click()
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'some.json', mimeType: 'application/json', buffer: Buffer.from(content) })
  await expect(page.getByText('1 of 2 imported; 1 failed, see the table')).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'A key must have 1 to 256 characters.' })).toBeVisible()
  await expect(page.getByLabel('Key of e2e.beside')).toBeVisible()
  expect(requests).toEqual(['/passport/preferences/me/e2e.beside'])
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete e2e.beside' }).click()
  await expect(page.getByLabel('Key of e2e.beside')).toHaveCount(0)
})

test('shows both values to the slower of two tabs, and loses neither', async ({ as, consoleErrors }) => {
  const page = await as('eve')
  const other = await page.context().newPage()
  const key = uniqueKey('Raced')
  await page.goto('/app/account/preferences')
  await add(page, key, 'start')
  await expect(page.getByRole('button', { name: `Delete ${key}` })).toBeEnabled()
  await other.goto('/app/account/preferences')
  const save = async (tab: Page, value: string) =>
    (await edit(tab, key, { value })).getByRole('button', { name: 'Save' }).click()

  await save(other, 'first')
  await expect(other.getByText(`${key} saved`)).toBeVisible()
  await save(page, 'second')
  const conflict = page.getByRole('alert').filter({ hasText: 'This preference was changed while you edited it' })
  await expect(conflict).toContainText('first')
  await expect(conflict).toContainText('second')
  await expectAccessible(page)
  await conflict.getByRole('button', { name: 'Save mine' }).click()
  await expect(conflict).toBeHidden()
  await expect(findValueField(page, key)).toHaveValue('second')

  // The other tab does not delete what it has not shown, and keeps the newer value.
  await other.getByRole('button', { name: `Delete ${key}` }).click()
  const kept = other.getByRole('alert').filter({ hasText: 'This preference was changed' })
  await expect(kept).toContainText('second')
  await kept.getByRole('button', { name: 'Keep the saved value' }).click()
  await expect(findValueField(other, key)).toHaveValue('second')
  consoleErrors.length = 0
})

test('shows JSON in lines and earlier values, and restores one, also of a deleted key', async ({ as }) => {
  const page = await as('eve')
  const key = uniqueKey('History')
  await page.goto('/app/account/preferences')
  await add(page, key, '{"theme":"dark","size":2}')
  await expect(page.getByRole('button', { name: `Delete ${key}` })).toBeEnabled()
  await page.getByRole('button', { name: `Details of ${key}` }).click()
  const details = page.getByRole('region', { name: `Details of ${key}` })
  await expect(details.locator('pre')).toHaveText('{\n  "theme": "dark",\n  "size": 2\n}')
  await expect(details).toContainText('No earlier values in the last 90 days')
  const editor = await edit(page, key, { value: 'plain' })
  await editor.getByRole('button', { name: 'Save' }).click()
  await expect(details.getByText('{"theme":"dark","size":2}')).toBeVisible()
  await expectAccessible(page)
  await details.getByRole('button', { name: 'Restore' }).click()
  await expect(findValueField(page, key)).toHaveValue('{"theme":"dark","size":2}')
  await expect(details.getByText('plain', { exact: true })).toBeVisible()
  await details.getByRole('button', { name: 'Delete history' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete history' }).click()
  await expect(details).toContainText('No earlier values in the last 90 days')

  await page.getByRole('button', { name: `Delete ${key}` }).click()
  await expect(findKeyField(page, key)).toBeHidden()
  await page.getByRole('button', { name: 'Manage' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: `Restore ${key}` }).click()
  await expect(findValueField(page, key)).toHaveValue('{"theme":"dark","size":2}')
})

test('an administrator restores an earlier and a deleted value of a user', async ({ as, asNew }) => {
  const user = await asNew('ren', 'Ren Aoki')
  const { claims } = await (await user.request.get('/passport/apphelper/user')).json()
  const [kept, deleted] = [uniqueKey('Kept'), uniqueKey('Deleted')]
  for (const [key, value] of [
    [kept, 'first'],
    [kept, 'second'],
    [deleted, 'gone'],
    [deleted, ''],
  ]) {
    const headers = { 'content-type': 'text/plain', origin: new URL(user.url()).origin }
    const saved = await user.request.put(`/passport/preferences/me/${key}`, { data: value, headers })
    expect(saved.ok(), await saved.text()).toBe(true)
  }

  const page = await as('ada')
  await page.goto(`/app/admin/users/${claims.sub}/preferences`)
  await page.getByRole('button', { name: kept }).click()
  const details = page.getByRole('region', { name: `Details of ${kept}` })
  await expect(details.getByText('second')).toBeVisible()
  await details.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByText(`${kept} restored`)).toBeVisible()
  await expect(details.locator('pre')).toHaveText('first')
  await page.getByRole('button', { name: `Restore ${deleted}` }).click()
  await expect(page.getByRole('button', { name: deleted, expanded: false })).toContainText('gone')
  await expectAccessible(page)
})
