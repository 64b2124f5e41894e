import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'
import { submitForm } from './forms.ts'

test('a user creates a token after signing in again, a program uses it, and an administrator revokes it', async ({
  as,
  passport,
  consoleErrors,
}) => {
  const page = await as('stranger')
  const name = `Script ${Math.random().toString(36).slice(2, 8)}`
  await submitForm(page.request, '/login?idp=harbour', { name, fault: 'stale' })
  await page.goto('/app/account/tokens')
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create personal token' })
  await dialog.getByRole('button', { name: 'Create token' }).click()

  const confirmation = page.getByRole('alertdialog', { name: 'Confirm it’s you' })
  const opening = page.waitForEvent('popup')
  await confirmation.getByRole('button', { name: 'Sign in again' }).click()
  const popup = await opening
  await popup.getByLabel('Or enter a new name').fill(name)
  await popup.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('Must not be empty.')).toBeVisible()
  expect(consoleErrors.splice(0).every((text) => /40[01] \(/.test(text))).toBe(true)
  await dialog.getByLabel('Name').fill('Nightly backup')
  // With another API, none is chosen from the start.
  await dialog.getByLabel('Read and change your profile').check()
  await dialog.getByLabel('Expires').selectOption('In a year')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create token' }).click()

  const shown = page.getByRole('dialog', { name: 'Copy your token' })
  const token = (await shown.locator('code').textContent()) ?? ''
  expect(token).toMatch(/^psp_/)
  await expectAccessible(page)
  await shown.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(token)).toHaveCount(0)
  const callApi = () =>
    fetch(`${passport.url}/passport/apphelper/user`, { headers: { authorization: `Bearer ${token}` } })
  const response = await callApi()
  expect(response.status).toBe(200)
  const { sub } = (await response.json()).claims
  await page.reload()
  await expect(page.getByRole('listitem').filter({ hasText: 'Nightly backup' })).toContainText('Last used now from')
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)

  const ada = await as('ada')
  await ada.goto(`/app/admin/users/${sub}/sessions`)
  await ada.getByRole('button', { name: 'Revoke Nightly backup' }).click()
  await ada.getByRole('alertdialog').getByRole('button', { name: 'Revoke token' }).click()
  await expect(ada.getByText('Token revoked')).toBeVisible()
  await expect(ada.getByRole('region', { name: 'Personal tokens' })).toBeHidden()
  expect((await callApi()).status).toBe(401)
  await page.reload()
  await expect(page.getByText('No personal tokens')).toBeVisible()
})

test('signing out everywhere revokes personal tokens if the user chooses so', async ({ asNew, passport }) => {
  const page = await asNew(`everywhere-${Math.random().toString(36).slice(2, 8)}`, 'Every Where')
  const created = await page.request.post('/passport/account/tokens', {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: { name: 'Backup', scopes: ['api_vertex_core'], expiresInDays: 1 },
  })
  const { value } = await created.json()
  const readStatus = async () =>
    (await fetch(`${passport.url}/passport/apphelper/user`, { headers: { authorization: `Bearer ${value}` } })).status
  expect(await readStatus()).toBe(200)
  await page.goto('/app/account/logins')
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  const question = page.getByRole('alertdialog', { name: 'Sign out everywhere?' })
  await question.getByLabel('Revoke personal tokens too').check()
  await question.getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect.poll(readStatus).toBe(401)
})
