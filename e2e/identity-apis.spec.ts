import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const list = '/app/admin/identity/apis'
const document = `
openapi: 3.1.0
components:
  securitySchemes:
    oauth:
      type: oauth2
      flows:
        clientCredentials:
          scopes: { tickets.read: See your tickets, tickets.refund: Refund tickets }
`

test('an API is created, gets scopes, lets a service get its tokens, previews a token, and is deleted', async ({
  as,
  passport,
  consoleErrors,
}) => {
  const page = await as('ada')
  await page.goto(list)
  await page.getByRole('link', { name: 'Create API' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Display name').fill('Tickets')
  await dialog.getByLabel('Name', { exact: true }).fill('openid')
  await dialog.getByLabel('Audience').fill('https://tickets.example')
  await dialog.getByRole('button', { name: 'Create API' }).click()
  await expect(dialog).toContainText('Is reserved. Choose another name.')
  expect(consoleErrors.splice(0).every((text) => text.includes('400 (Bad Request)'))).toBe(true)
  await expectAccessible(page)
  await dialog.getByLabel('Name', { exact: true }).fill('tickets')
  await dialog.getByRole('button', { name: 'Create API' }).click()
  await expect(page.getByRole('heading', { name: 'Tickets', level: 1 })).toBeVisible()

  const scopes = page.getByRole('region', { name: 'Scopes' })
  await scopes.getByRole('button', { name: 'Add scope' }).click()
  await dialog.getByLabel('Name', { exact: true }).fill('tickets.read')
  await dialog.getByLabel('Highlight it for users').check()
  await dialog.getByRole('button', { name: 'Add scope' }).click()
  await expect(scopes.getByRole('listitem')).toHaveCount(2)
  await scopes.getByRole('button', { name: 'Import from OpenAPI' }).click()
  await dialog.getByLabel('Document', { exact: true }).fill(document)
  await dialog.getByRole('button', { name: 'Show changes' }).click()
  await expect(dialog.getByRole('status')).toContainText('tickets.refund')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Import 2 scopes' }).click()
  await expect(scopes).toContainText('See your tickets')
  await expect(scopes.getByRole('listitem')).toHaveCount(3)

  await page.goto('/app/admin/identity/clients/create')
  await page.getByLabel('Name', { exact: true }).fill('Ticket printer')
  await page.getByLabel('Service').check()
  await page.getByLabel('tickets.read').check()
  await page.getByRole('button', { name: 'Create application' }).click()
  const secrets = page.getByRole('region', { name: 'Secrets' })
  const secret = (await secrets.getByRole('status').locator('code').textContent()) ?? ''
  await expect(page.getByRole('region', { name: 'Quick start' })).toContainText("scope='tickets.read'")
  const requestToken = async () => {
    const response = await fetch(`${passport.url}/connect/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`ticket-printer:${secret}`)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'tickets.read' }),
    })
    return (await response.json()) as Record<string, unknown>
  }
  await expect.poll(requestToken).toMatchObject({ scope: 'tickets.read', expires_in: 3600 })

  const apis = page.getByRole('region', { name: 'APIs' })
  await expect(apis.getByRole('listitem').filter({ hasText: 'Tickets' })).toContainText('tickets.read')
  await apis.getByRole('link', { name: 'Tickets' }).click()
  const printer = page.getByRole('region', { name: 'Applications' }).getByRole('listitem')
  await expect(printer.getByRole('link', { name: 'Ticket printer' })).toBeVisible()
  await expect(printer).toContainText('tickets.read')
  const preview = page.getByRole('region', { name: 'Token preview' })
  await preview.getByLabel('Application').fill('printer')
  await page.getByRole('option', { name: /Ticket printer/ }).click()
  await expect(preview).toContainText('invalid_scope')
  await preview.getByLabel('tickets', { exact: true }).uncheck()
  await preview.getByLabel('tickets.read').check()
  await expect(preview).toContainText('"aud": "https://tickets.example"')
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  await page.getByRole('region', { name: 'Applications' }).getByRole('button', { name: 'Selected' }).click()
  await expect(page.getByText('None. No application gets tokens.')).toBeVisible()
  expect(await requestToken()).toMatchObject({ error: 'invalid_target' })
  await page.getByRole('region', { name: 'Applications' }).getByRole('button', { name: 'All' }).click()
  await expect(page.getByText('Every application gets tokens')).toBeVisible()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await page.getByLabel('Token lifetime').selectOption('60')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('definition').filter({ hasText: '1 minute' })).toBeVisible()
  expect(await requestToken()).toMatchObject({ expires_in: 60 })

  await page.getByRole('button', { name: 'Delete tickets.refund' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete scope' }).click()
  await expect(scopes.getByRole('listitem')).toHaveCount(2)
  await page.request.delete('/passport/admin/identity/clients/ticket-printer', {
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByLabel('Type Tickets to confirm').fill('Tickets')
  await page.getByRole('button', { name: 'Delete API' }).click()
  await expect(page).toHaveURL(new RegExp(`${list}$`))
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('link', { name: 'Tickets' })).toBeVisible()
})
