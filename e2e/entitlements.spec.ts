import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const list = '/app/admin/entitlements'
const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

test('an entitlement is defined, granted with a preview, seen by a member, closed, and shown at an earlier moment', async ({
  as,
  asNew,
}) => {
  const page = await as('ada')
  const member = await asNew('seat.holder', 'Sitara Holder')
  const { claims } = await (await member.request.get('/passport/apphelper/user')).json()
  const org = await (
    await page.request.post('/passport/admin/orgs', { headers, data: { name: 'Harbour Theatre' } })
  ).json()
  await page.request.post(`/passport/admin/orgs/${org.id}/members/add`, {
    headers,
    data: { members: [claims.sub], role: 'member' },
  })
  await member.goto('/app/account/profile')
  await expect(member.getByRole('heading', { level: 1, name: 'Sitara Holder' })).toBeVisible()
  await expect(member.getByRole('link', { name: 'Entitlements' })).toHaveCount(0)

  const changes: string[] = []
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url())
    if (request.method() !== 'GET' && pathname.includes('/grants')) changes.push(`${request.method()}${search}`)
  })
  await page.goto(list)
  await page.getByRole('link', { name: 'Create entitlement' }).first().click()
  await page.getByLabel('Name', { exact: true }).fill('Harbour seats')
  await page.getByLabel('Key', { exact: true }).fill('harbour.seats')
  await page.getByLabel('Unit', { exact: true }).fill('seats')
  await page.getByRole('button', { name: 'Create entitlement' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Harbour seats' })).toBeVisible()
  await expect(page.getByText('No grants yet')).toBeVisible()

  await page.getByRole('button', { name: 'Add grant' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Organisation').fill('harbour')
  await page.getByRole('option', { name: /Harbour Theatre/ }).click()
  await dialog.getByLabel('Quantity, in seats').fill('25')
  const effect = dialog.getByRole('region', { name: 'Effect' })
  await expect(effect).toContainText('Harbour Theatre1 user')
  await expect(effect).toContainText('25 seats')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Add grant' }).click()
  const row = page.getByRole('row', { name: /Harbour Theatre/ })
  await expect(row).toContainText('Active')
  await expect(row).toContainText('25')

  await member.reload()
  await member.getByRole('link', { name: 'Entitlements' }).click()
  await expect(member.getByRole('listitem').filter({ hasText: 'harbour.seats' })).toContainText('25 seats')
  await expect(member.getByText('Harbour Theatre').last()).toBeVisible()

  await row.getByRole('button', { name: 'Actions for Harbour Theatre' }).click()
  await page.getByRole('menuitem', { name: 'Close' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question.getByRole('region', { name: 'Effect' })).toContainText('1 user')
  await question.getByRole('button', { name: 'Close grant' }).click()
  await page.getByRole('button', { name: 'Show ended grants' }).click()
  await expect(row).toContainText('Ended')
  // No change is previewed again after it was saved.
  const previews = ['POST?preview=true', 'DELETE?preview=true']
  expect(changes.filter((change, index) => !previews.includes(change) || changes[index - 1] !== change)).toEqual([
    'POST?preview=true',
    'POST',
    'DELETE?preview=true',
    'DELETE',
  ])

  await page.getByRole('link', { name: 'Ledger' }).click()
  const granted = page.getByRole('listitem').filter({ hasText: 'granted 25 seats to Harbour Theatre' })
  await expect(page.getByRole('listitem').filter({ hasText: 'closed the grant of Harbour Theatre' })).toBeVisible()
  await granted.getByRole('link', { name: 'Show grants at this moment' }).click()
  await expect(page).toHaveURL(/at=/)
  await expect(row).toContainText('Active')
  await expect(page.getByText('25 seats · 1 organisation')).toBeVisible()
  await page.getByRole('button', { name: 'Today' }).click()
  await expect(page.getByText('0 seats · 0 organisations')).toBeVisible()
  await expect(row).toHaveCount(0)

  await member.goto('/app/account/profile')
  await expect(member.getByRole('heading', { level: 1, name: 'Sitara Holder' })).toBeVisible()
  await expect(member.getByRole('link', { name: 'Entitlements' })).toHaveCount(0)
})

test('a grant that another administrator changed is compared before it is saved', async ({ as, consoleErrors }) => {
  const page = await as('ada', { viewport: { width: 390, height: 844 } })
  const org = await (await page.request.post('/passport/admin/orgs', { headers, data: { name: 'Quay Radio' } })).json()
  const entitlement = await (
    await page.request.post('/passport/admin/entitlements', {
      headers,
      data: {
        key: 'quay.hours',
        name: 'Hours',
        kind: 'quantity',
        unit: 'hours',
        grants: [{ orgId: org.id, quantity: 10 }],
      },
    })
  ).json()
  const path = `/passport/admin/entitlements/${entitlement.id}`
  await page.goto(`${list}/${entitlement.id}`)
  await expect(page).toHaveURL(/\/edit$/)
  await page.getByRole('button', { name: 'Actions for Quay Radio' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit grant of Quay Radio' })
  await dialog.getByLabel('Quantity, in hours').fill('30')
  await expectNoSidewaysScroll(page)

  const [grant] = (await (await page.request.get(`${path}/grants`)).json()).items
  const changed = await page.request.put(`${path}/grants/${grant.id}`, {
    headers: { ...headers, 'if-match': `"${grant.version}"` },
    data: { ...grant, quantity: 20 },
  })
  expect(changed.status(), await changed.text()).toBe(200)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const comparison = page.getByRole('dialog', { name: 'Another user changed this grant' })
  await expect(comparison).toContainText('20')
  await comparison.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('row', { name: /Quay Radio/ })).toContainText('30')
  expect(consoleErrors.splice(0).every((text) => text.includes('412'))).toBe(true)
})
