import { expect, expectAccessible, test } from './fixtures.ts'

test('a user changes the display name and username, and every page shows them immediately', async ({
  asNew,
  consoleErrors,
}) => {
  const page = await asNew('isa', 'Isa Moreau')
  await page.goto('/app/account/profile')
  await expect(page.getByRole('link', { name: 'Profile' })).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('region', { name: 'About you' })).toContainText('Isa Moreau')
  await page.getByRole('button', { name: 'Edit' }).click()
  await expect(page.getByLabel('Display name')).toHaveValue('Isa Moreau')
  await expect(page.getByLabel('Display name')).toBeFocused()

  await page.getByLabel('Username', { exact: true }).fill('Ada')
  await expect(page.getByText('ada is taken')).toBeVisible()
  await expect(page.getByLabel('Username', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await page.getByLabel('Username', { exact: true }).fill('me')
  await expect(page.getByText('Must have 3 to 32 characters.')).toBeVisible()
  await page.getByLabel('Username', { exact: true }).fill('Isa.M')
  await expect(page.getByText('isa.m is available.')).toBeVisible()
  await page.getByLabel('Display name').fill('Ísa Moreau')
  await expectAccessible(page)
  await page.keyboard.press('Control+s')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'About you' })).toContainText('isa.m')
  await expect(page.getByRole('region', { name: 'Unsaved changes' })).toBeHidden()
  await page.goto('/app/')
  await expect(page.getByRole('region', { name: 'Your identity' })).toContainText('Ísa Moreau')
  await expect(page.getByRole('region', { name: 'Your identity' })).toContainText('isa.m')

  // The field shows the server's validation error.
  await page.goto('/app/account/profile?edit=true')
  await page.getByLabel('Display name').fill('  ')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Must not be empty.')).toBeVisible()
  await expect(page.getByLabel('Display name')).toBeFocused()
  await page.getByRole('link', { name: 'Preferences' }).first().click()
  await page.getByRole('button', { name: 'Discard changes' }).click()
  await expect(page).toHaveURL(/preferences$/)

  for (const name of ['isa.n', 'isa']) {
    await page.goto('/app/account/profile?edit=true')
    await page.getByLabel('Username', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByRole('region', { name: 'Unsaved changes' })).toBeHidden()
  }
  await page.getByRole('button', { name: 'Edit' }).click()
  await expect(page.getByText('You can change it again on')).toBeVisible()
  await expect(page.getByLabel('Username', { exact: true })).toHaveAttribute('readonly', '')
  consoleErrors.length = 0
})

test('reports a profile that cannot be loaded, and retries', async ({ as, consoleErrors }) => {
  const page = await as('dev')
  await page.route('**/passport/profile/me', (route) => route.fulfill({ status: 503, body: 'no' }))
  await page.goto('/app/account/profile')
  await expect(page.getByText("Couldn't load your profile")).toBeVisible()
  await expectAccessible(page)
  await page.unroute('**/passport/profile/me')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('region', { name: 'About you' })).toContainText('Dev Patel')
  consoleErrors.length = 0
})
