import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './cast.ts'

/** Every test has keys of its own: the people are shared by all tests of a worker. */
const keyOf = (name: string) => `${name}.${Math.random().toString(36).slice(2, 8)}`

const sentBy = (page: Page) => {
  const sent: { method: string; path: string; type: string | undefined; body: string | null }[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!pathname.startsWith('/passport/preferences/me/')) return
    sent.push({
      method: request.method(),
      path: pathname,
      type: request.headers()['content-type'],
      body: request.postData(),
    })
  })
  return sent
}

async function add(page: Page, key: string, value: string) {
  await page.getByPlaceholder('Key (e.g. MyApp.Preference)').fill(key)
  await page.getByPlaceholder('Value (e.g. myvalue)').fill(value)
  await page.getByRole('button', { name: 'Add' }).click()
}
const keyField = (page: Page, key: string) => page.getByLabel(`Key of ${key}`, { exact: true })
const valueField = (page: Page, key: string) => page.getByLabel(`Value of ${key}`, { exact: true })
const reopened = async (page: Page) => {
  await page.reload()
  await expect(page.getByPlaceholder('Key (e.g. MyApp.Preference)')).toBeVisible()
}

for (const [who, path] of [
  ['eve', '/app/account/preferences'],
  ['dev', '/app/developer/preferences'],
] as const) {
  test(`a preference is added, changed and deleted at ${path}`, async ({ as }) => {
    const page = await as(who)
    const sent = sentBy(page)
    const key = keyOf('a/b 100% #')
    await page.goto(path)
    await add(page, key, 'dark')
    await expect(keyField(page, key)).toHaveValue(key)
    await expect(page.getByPlaceholder('Key (e.g. MyApp.Preference)')).toHaveValue('')
    await expect(page.getByText(`Saved ${key}`)).toBeHidden()
    await expect
      .poll(() => sent.at(-1))
      .toEqual({
        method: 'PUT',
        path: `/passport/preferences/me/${encodeURIComponent(key)}`,
        type: 'text/plain',
        body: 'dark',
      })

    // While it is being saved it is not saved again.
    await expect(page.getByRole('button', { name: `Delete ${key}` })).toBeEnabled()
    await valueField(page, key).fill('light')
    await valueField(page, key).press('Enter')
    await expect(page.getByText(`Saved ${key}`)).toBeVisible()
    await reopened(page)
    await expect(valueField(page, key)).toHaveValue('light')

    sent.length = 0
    await page.getByRole('button', { name: `Delete ${key}` }).click()
    await expect(keyField(page, key)).toBeHidden()
    expect(sent.map(({ method, body }) => [method, body ?? ''])).toEqual([['PUT', '']])
    await reopened(page)
    await expect(keyField(page, key)).toBeHidden()
  })
}

test('a row is there before it is saved, and stays when that fails', async ({ as, complaints }) => {
  const page = await as('eve')
  const key = keyOf('failing')
  await page.goto('/app/account/preferences')
  await page.route(`**/passport/preferences/me/${key}`, (route) =>
    route.fulfill({ status: 500, contentType: 'text/plain', body: 'no' }),
  )
  await add(page, key, 'v')
  const alert = `Failed to update key ${key}: status 500 Internal Server Error`
  await expect(page.getByRole('alert').filter({ hasText: alert }).first()).toBeVisible()
  await expect(page.locator('.Toastify__toast').filter({ hasText: alert })).toBeVisible()
  await expect(keyField(page, key)).toHaveValue(key)
  await expect(page.getByText('Not saved ·')).toBeVisible()
  await expectAccessible(page)
  await page.unroute(`**/passport/preferences/me/${key}`)
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('Not saved ·')).toBeHidden()
  await reopened(page)
  await expect(valueField(page, key)).toHaveValue('v')

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
  await expect(keyField(page, key)).toBeVisible()
  complaints.length = 0
})

test('what saving will do beyond saving is said before', async ({ as }) => {
  const page = await as('eve')
  const [old, next] = [keyOf('old'), keyOf('next')]
  await page.goto('/app/account/preferences')
  await add(page, old, 'v')
  await expect(page.getByRole('button', { name: `Save ${old}` })).toBeDisabled()
  await keyField(page, old).fill(next)
  await expect(page.getByText(`Saving as a new key; ‘${old}’ stays`)).toBeVisible()
  await page.getByRole('button', { name: `Save ${old}` }).click()
  await expect(keyField(page, next)).toBeVisible()
  await expect(keyField(page, old)).toBeVisible()
  await valueField(page, next).fill('')
  await expect(page.getByText('Saving an empty value deletes this key')).toBeVisible()
  await page.getByRole('button', { name: `Save ${next}` }).click()
  await expect(keyField(page, next)).toBeHidden()
  await reopened(page)
  await expect(keyField(page, old)).toBeVisible()
  await expect(keyField(page, next)).toBeHidden()
})

test('a key that cannot be one is refused where it is typed', async ({ as }) => {
  const page = await as('eve')
  await page.goto('/app/account/preferences')
  for (const [key, reason] of [
    ['..', 'A key is not “.” or “..”.'],
    ['x'.repeat(257), 'A key has 1 to 256 characters.'],
  ] as const) {
    await page.getByLabel('New key').fill(key)
    await expect(page.getByText(reason)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Add' })).toBeDisabled()
  }
  await page.getByLabel('New key').fill('')
  await expect(page.getByRole('button', { name: 'Add' })).toBeDisabled()
})

test('what is not saved is not lost without a word', async ({ as }) => {
  const page = await as('eve')
  const key = keyOf('unsaved')
  await page.goto('/app/account/preferences')
  await add(page, key, 'v')
  await valueField(page, key).fill('changed')
  await page.getByRole('link', { name: 'Logins and sessions' }).click()
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
  await expect(question).toContainText('One row is not saved and will be lost.')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Cancel' }).click()
  await expect(valueField(page, key)).toHaveValue('changed')
  await page.getByRole('button', { name: `Save ${key}` }).click()
  await expect(page.getByText(`Saved ${key}`)).toBeVisible()
  await page.getByRole('link', { name: 'Logins and sessions' }).click()
  await expect(page).toHaveURL(/\/account\/logins$/)
})

test('a filter stands in the address, and a file takes them out and in again', async ({ as }) => {
  const page = await as('max')
  const [one, two] = [keyOf('Find.One'), keyOf('Other.Two')]
  await page.goto('/app/account/preferences')
  await add(page, one, '1')
  await add(page, two, '2')
  await page.getByLabel('Filter preferences').fill('find.one')
  await expect(page).toHaveURL(/\?q=find\.one$/)
  await expect(keyField(page, two)).toBeHidden()
  await page.getByLabel('Filter preferences').fill('nothing has this')
  await expect(page.getByText('No preference matches')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(keyField(page, two)).toBeVisible()

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ])
  const exported = JSON.parse(readFileSync(await download.path(), 'utf8'))
  expect(exported).toMatchObject({ [one]: '1', [two]: '2' })

  const [three, four] = [keyOf('Three'), keyOf('Four')]
  const file = {
    name: 'some.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify({ [three]: '3', [four]: '4' })),
  }
  await page.getByLabel('File to import').setInputFiles(file)
  await expect(page.getByText('Imported 2 of 2')).toBeVisible()
  await page.getByLabel('File to import').setInputFiles({ ...file, buffer: Buffer.from('[1, 2]') })
  await expect(page.getByText('some.json is not a JSON object of keys and text values')).toBeVisible()
  await reopened(page)
  await expect(valueField(page, four)).toHaveValue('4')
})

test('on a phone each preference is a card', async ({ as }) => {
  const page = await as('eve', { viewport: { width: 390, height: 844 } })
  const key = keyOf('a.long.key.of.an.app.that.likes.long.keys')
  await page.goto('/app/account/preferences')
  await add(page, key, 'a long value '.repeat(20))
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  const [keyBox, valueBox] = [await keyField(page, key).boundingBox(), await valueField(page, key).boundingBox()]
  expect(valueBox?.y).toBeGreaterThan((keyBox?.y ?? 0) + (keyBox?.height ?? 0))
})

test('the list that cannot be loaded says why, with the id that finds it, and is tried again', async ({
  as,
  complaints,
}) => {
  const page = await as('eve')
  await page.route('**/passport/preferences/me', (route) =>
    route.fulfill({
      status: 503,
      contentType: 'application/problem+json',
      json: {
        type: 'x',
        title: 'Service Unavailable',
        status: 503,
        detail: 'The database does not answer.',
        code: 'database-unavailable',
        traceId: '0af7651916cd43dd8448eb211c80319c',
      },
    }),
  )
  await page.goto('/app/account/preferences')
  await expect(page.getByText('503 Service Unavailable')).toBeVisible()
  await expect(page.getByText('0af7651916cd43dd8448eb211c80319c')).toBeVisible()
  await expectAccessible(page)
  await page.unroute('**/passport/preferences/me')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByPlaceholder('Key (e.g. MyApp.Preference)')).toBeVisible()
  complaints.length = 0
})

test('a file with an empty key sends nothing for it and says why; what is added shows in spite of a filter', async ({
  as,
}) => {
  const page = await as('eve')
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'PUT' && sent.push(new URL(request.url()).pathname))
  await page.goto('/app/account/preferences?q=nothing-has-this')
  const content = JSON.stringify({ '': 'v', 'e2e.beside': 'w' })
  await page
    .getByLabel('File to import')
    .setInputFiles({ name: 'some.json', mimeType: 'application/json', buffer: Buffer.from(content) })
  await expect(page.getByText('Imported 1 of 2; 1 are marked in the table')).toBeVisible()
  await expect(page.getByRole('alert').filter({ hasText: 'A key has 1 to 256 characters.' })).toBeVisible()
  await expect(page.getByLabel('Key of e2e.beside')).toBeVisible()
  expect(sent).toEqual(['/passport/preferences/me/e2e.beside'])
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('button', { name: 'Delete e2e.beside' }).click()
  await expect(page.getByLabel('Key of e2e.beside')).toHaveCount(0)
})
