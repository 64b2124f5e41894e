import { addProducts, openUntil, postJson, stageHours, awsTest as test } from './aws-world.ts'
import { expect, expectAccessible, expectNoSidewaysScroll } from './fixtures.ts'

const list = '/app/admin/awssubscriptions'

test('an administrator sees what was used, what AWS refused and why, and sends it again', async ({ as, aws }) => {
  const page = await as('ada')
  await addProducts(page)
  const org = await postJson<{ id: string }>(page, '/passport/admin/orgs', { name: 'Harbour Hall' })
  const bought = await aws.buy({ product: stageHours })
  await openUntil(page, list, page.getByRole('link', { name: /Stage Hours/ }))
  await page.getByRole('link', { name: /Stage Hours/ }).click()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await postJson(page, `/passport/admin/awssubscriptions/${id}/actions/assign`, { orgId: org.id })
  await page.request.post('/passport/entitlements/stage.hours/usage', {
    headers: { 'sec-fetch-site': 'same-origin', 'idempotency-key': 'first' },
    data: { orgId: org.id, quantity: 12 },
  })
  await page.reload()
  await page.getByRole('link', { name: 'Usage' }).click()
  await expect(page.getByText('12 hours in hours that are still open.')).toBeVisible()
  await expect(page.getByText('No usage was reported in this time.')).toBeVisible()

  // The end of the subscription closes the hour at once.
  aws.failNext('BatchMeterUsage', 'invalid-license')
  await aws.cancel(bought.agreementId)
  await openUntil(page, page.url(), page.getByText('AWS knows no such licence of this product.'))
  await expect(page.getByRole('region', { name: 'Refused by AWS' })).toContainText('1 hour')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Send again' }).click()
  await expect(page.getByText('1 hour is sent again')).toBeVisible()
  const hours = page.getByRole('region', { name: 'Hours', exact: true })
  await hours.getByRole('button', { name: 'Waiting' }).click()
  await expect(page).toHaveURL(/state=waiting/)
  await expect(hours).toContainText('12 hours')
  await page.getByRole('button', { name: '7 days' }).click()
  await expect(page).toHaveURL(/days=7/)
  await expect(page.getByRole('img', { name: /Streaming hours: 12 hours used/ })).toBeVisible()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
})
