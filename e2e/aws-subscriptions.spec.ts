import { addProducts, openUntil, post, stageHours, stagePro, awsTest as test } from './aws-world.ts'
import { expect, expectAccessible, expectNoSidewaysScroll } from './fixtures.ts'

const list = '/app/admin/awssubscriptions'

// One worker starts the server for both tests.
test.describe.configure({ mode: 'default' })

test('an unmatched event shows its payload, and finds its subscription once its product exists', async ({
  as,
  aws,
}) => {
  const page = await as('ada')
  await page.goto(list)
  await expect(page.getByText('Buyers subscribe to a product. Create yours first.')).toBeVisible()
  await aws.buy({ product: stageHours })
  await page.goto(`${list}?view=events`)
  const event = page.getByRole('listitem').filter({ hasText: 'License Updated' })
  await expect(async () => {
    await page.reload()
    await expect(event).toBeVisible({ timeout: 1000 })
  }).toPass({ timeout: 20_000 })
  await event.getByRole('button', { name: 'Payload' }).click()
  await expect(page.getByRole('dialog')).toContainText(stageHours)
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)

  await addProducts(page)
  await event.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByText('Event retried')).toBeVisible()
  await expect(event).toHaveCount(0)
  await page.getByRole('link', { name: 'Subscriptions', exact: true }).first().click()
  await expect(page.getByRole('link', { name: /Stage Hours/ })).toBeVisible()
})

test('an administrator follows subscriptions from purchase to access, links one by hand and compares with AWS', async ({
  as,
  aws,
}) => {
  const page = await as('ada')
  await addProducts(page)
  for (const name of ['Northwind Theatre', 'Contoso Festival']) await post(page, '/passport/admin/orgs', { name })

  const bought = await aws.buy({ product: stagePro, quantities: { seats: 40 } })
  await page.goto(list)
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('row', { name: /Stage Pro.*Not assigned.*Active/ })).toBeVisible({ timeout: 1000 })
  }).toPass({ timeout: 20_000 })
  await page.getByRole('link', { name: /Stage Pro/ }).click()

  await page.getByRole('button', { name: 'Assign organisation' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Assign Stage Pro to an organisation' })
  await dialog.getByLabel('Organisation').fill('north')
  await page.getByRole('option', { name: /Northwind Theatre/ }).click()
  await expect(dialog.getByRole('region', { name: 'Effect' })).toContainText('stage.seats')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Assign' }).click()
  await expect(page.getByRole('link', { name: 'Northwind Theatre' })).toBeVisible()
  await expect(page.getByRole('row', { name: /seats stage\.seats/ })).toContainText('40')
  const timeline = page.getByRole('region', { name: 'Timeline' })
  await expect(timeline).toContainText('Licence updated')
  await timeline.getByRole('button', { name: 'Problems' }).click()
  await expect(timeline).toContainText('No problems')
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1280, height: 800 })

  aws.setDelivery('held')
  await aws.amend(bought.agreementId, { seats: 60 })
  await page.goto(`${list}?view=aws`)
  await page.getByRole('button', { name: 'Compare with AWS' }).click()
  await expect(page.getByText('1 difference')).toBeVisible()
  await expect(page.getByText(/^60/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Use the value of AWS' }).click()
  await expect(page.getByText('Updated from AWS')).toBeVisible()
  await page.getByRole('button', { name: 'Compare with AWS' }).click()
  await expect(page.getByText('No differences.')).toBeVisible()

  const second = await aws.buy({ product: stagePro, quantities: { seats: 5 } })
  await page.goto(list)
  await page.getByRole('link', { name: 'Create subscription' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Create subscription' })).toBeVisible()
  await page.getByLabel('Product').selectOption('Stage Pro')
  await page.getByLabel('Organisation').fill('contoso')
  await page.getByRole('option', { name: /Contoso Festival/ }).click()
  await page.getByLabel('AWS account').fill(second.accountId)
  await page.getByLabel('Licence').fill(second.licenseArn)
  await page.getByLabel('Note').fill('Bought by phone')
  await page.getByRole('button', { name: 'Create subscription' }).click()
  // AWS is asked at once, and the page shows the answer when it is opened again.
  await expect(page.getByRole('heading', { level: 1, name: 'Stage Pro' })).toBeVisible()
  await expect(async () => {
    await page.reload()
    await expect(page.getByRole('row', { name: /seats stage\.seats/ })).toContainText('5', { timeout: 2000 })
  }).toPass()
  await expect(page.getByRole('list', { name: 'State' }).locator('[aria-current=step]')).toContainText('Active')

  // The agreement of an account that no subscription has.
  const subscription = page.url()
  const { agreementId } = await aws.buy({ product: stagePro })
  const orphan = aws.events().find((event) => event.agreementId === agreementId)
  await aws.deliver(orphan?.id ?? '')
  const row = page.getByRole('listitem').filter({ hasText: agreementId })
  await openUntil(page, `${list}?view=events`, row)
  await row.getByRole('button', { name: 'Assign' }).click()
  const assignment = page.getByRole('dialog', { name: 'Assign to a subscription' })
  await expect(assignment.getByRole('button', { name: 'Assign' })).toBeDisabled()
  await assignment.getByLabel('Subscription').fill('contoso')
  await page.getByRole('option', { name: /Stage Pro of Contoso Festival/ }).click()
  await expectAccessible(page)
  await assignment.getByRole('button', { name: 'Assign' }).click()
  await expect(page.getByText('Event assigned')).toBeVisible()
  await expect(row).toHaveCount(0)
  await page.goto(subscription)
  await expect(page.getByRole('region', { name: 'Timeline' })).toContainText('Agreement created')
})
