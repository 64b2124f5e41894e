import { addProducts, postJson, awsTest as test } from './aws-world.ts'
import { expect, expectAccessible, expectNoSidewaysScroll } from './fixtures.ts'

const path = '/app/admin/awssubscriptions?view=simulator'

test('an administrator plays a life with held, repeated and reversed events, and watches state, seats and billing', async ({
  as,
  aws: _,
}) => {
  const page = await as('ada')
  await addProducts(page)
  const org = await postJson<{ id: string }>(page, '/passport/admin/orgs', { name: 'Northwind Theatre' })
  await page.goto(path)
  await expect(page.getByText('Nothing was bought yet')).toBeVisible()
  await page.getByRole('button', { name: 'Hold events' }).click()
  await page.getByRole('button', { name: 'Buy Stage Studio' }).click()
  const life = page.getByRole('region', { name: 'Stage Studio' })
  await expect(life.getByText('Unknown to Passport')).toBeVisible()
  const events = page.getByRole('region', { name: 'Events' })
  await expect(events.getByText('Held')).toHaveCount(2)
  await events.getByRole('button', { name: 'In reverse' }).click()
  const step = life.getByRole('list', { name: 'State' }).locator('[aria-current=step]')
  await expect(step).toContainText('Active')
  await expect(life.getByRole('img', { name: /Life so far: .*active/ })).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Deliver events' }).click()
  await expect(life.getByRole('button', { name: 'Use 5' })).toHaveCount(0)
  const href = await life.getByRole('link', { name: 'Open subscription' }).getAttribute('href')
  const id = href?.split('/').at(-1) ?? ''
  await postJson(page, `/passport/admin/awssubscriptions/${id}/actions/assign`, { orgId: org.id })
  await expect(life.getByText('Northwind Theatre')).toBeVisible()
  for (const _ of [1, 2, 3]) await life.getByRole('button', { name: 'Use 5' }).click()
  await life.getByRole('button', { name: 'Bill now' }).click()
  await expect(life.locator('div').filter({ hasText: /^Billed by use5$/ })).toBeVisible()
  await life.getByRole('button', { name: 'Buy 10 more' }).click()
  await expect(life.locator('div').filter({ hasText: /^seats20$/ })).toBeVisible()
  await life.getByRole('button', { name: 'Renew' }).click()
  await expect(page).toHaveURL(/purchase=agmt-/)
  await expect(step).toContainText('Active')
  await life.getByRole('button', { name: 'Cancel' }).click()
  await expect(step).toContainText('Ending')
  await life.getByRole('button', { name: 'End the final hour' }).click()
  await expect(step).toContainText('Ended')
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
})
