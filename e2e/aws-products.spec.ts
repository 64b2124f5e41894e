import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const list = '/app/admin/awsproducts'
const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

test('a product is created with dimensions, shows what to enter at AWS, is edited, disabled and deleted', async ({
  as,
  passport,
  consoleErrors,
}) => {
  const page = await as('ada')
  for (const entitlement of [
    { key: 'booth.seats', name: 'Booth seats', kind: 'quantity', unit: 'seats' },
    { key: 'booth.recording', name: 'Booth recording', kind: 'flag' },
  ]) {
    const response = await page.request.post('/passport/admin/entitlements', { headers, data: entitlement })
    expect(response.ok(), await response.text()).toBe(true)
  }
  await page.goto(list)
  await page.getByRole('link', { name: 'Create product' }).click()
  await page.getByLabel('Name').fill('Booth Pro')
  await page.getByLabel('Support email').fill('support@booth.example')
  await page.getByLabel('Product code').fill('booth pro')
  await page.getByLabel('Pay as you go').check()
  await page.getByLabel('Key', { exact: true }).fill('seats')
  await page.getByLabel('Entitlement').selectOption('booth.seats')
  await expect(page.getByLabel('Entitlement').getByRole('option')).toHaveText(['None', 'booth.seats'])
  await page.getByLabel('Buyers pay for a quantity').check()
  await expect(page.getByLabel('Kind')).toHaveText('Entitled')
  await page.getByRole('button', { name: 'Add dimension' }).click()
  const [, second] = await page
    .getByRole('listitem')
    .filter({ has: page.getByLabel('Key', { exact: true }) })
    .all()
  if (!second) throw new Error('no second dimension')
  await second.getByLabel('Key', { exact: true }).fill('seats')
  await second.getByLabel('Entitlement').selectOption('booth.recording')
  await page.getByRole('button', { name: 'Create product' }).click()
  await expect(page.getByText('characters of - / = : _ . @ without spaces')).toBeVisible()
  await expect(page.getByLabel('Product code')).toBeFocused()
  await expectAccessible(page)
  await page.getByLabel('Product code').fill('booth-pro')
  await page.getByRole('button', { name: 'Create product' }).click()
  await expect(second).toContainText('Must be different from the keys above.')
  expect(consoleErrors.splice(0).every((text) => text.includes('400 (Bad Request)'))).toBe(true)
  await second.getByLabel('Key', { exact: true }).fill('recording')
  await page.getByRole('button', { name: 'Create product' }).click()

  await expect(page.getByRole('heading', { name: 'Booth Pro', level: 1 })).toBeVisible()
  const connection = page.getByRole('region', { name: 'Connection with AWS' })
  await expect(connection).toContainText(`${passport.url}/passport/licensing/awsmarketplace/landing`)
  await expect(connection).toContainText('AWS only calls https addresses.')
  await connection.getByRole('button', { name: 'Validate' }).click()
  await expect(connection.getByRole('status')).toContainText('The server has no AWS credentials')
  const dimensions = page.getByRole('region', { name: 'Dimensions' })
  await expect(dimensions.getByRole('listitem')).toContainText(['booth.seats', 'booth.recording'])
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)

  await page.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('region', { name: 'Edit product' })
  await form.getByRole('button', { name: 'Remove recording' }).click()
  await form.getByLabel('Unit').fill('seats')
  await expectNoSidewaysScroll(page)
  await form.getByRole('button', { name: 'Save' }).click()
  await expect(dimensions).toContainText('Entitled, in seats')
  await expect(dimensions.getByRole('listitem')).toHaveCount(1)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(page.getByText('Disabled', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const dialog = page.getByRole('alertdialog')
  await dialog.getByRole('textbox').fill('Booth Pro')
  await dialog.getByRole('button', { name: 'Delete product' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/awsproducts$/)
  await expect(page.getByText('Product deleted')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Booth Pro' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('link', { name: 'Booth Pro' })).toBeVisible()
})
