import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'
import { runQuickStart } from './quick-start.ts'

const list = '/app/admin/identity/clients'

test('an application is created, signs a user in with its secret, gets a new secret, and is deleted', async ({
  as,
  consoleErrors,
}) => {
  const page = await as('ada')
  await page.goto(`${list}/create`)
  await page.getByLabel('Name', { exact: true }).fill('Box office')
  await page.getByLabel('Redirect URIs').fill('http://box.example/callback')
  await page.getByRole('button', { name: 'Create application' }).click()
  await expect(page.getByText('Must be https. Plain http is allowed only for localhost.')).toBeVisible()
  expect(consoleErrors.splice(0).every((text) => text.includes('400 (Bad Request)'))).toBe(true)
  await page.getByLabel('Redirect URIs').fill('https://box.example/callback')
  await page.getByLabel('Ask users for consent').selectOption('skip')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create application' }).click()

  await expect(page.getByRole('heading', { name: 'Box office', level: 1 })).toBeVisible()
  const secrets = page.getByRole('region', { name: 'Secrets' })
  await expect(secrets).toContainText("Copy the secret now. It isn't shown again.")
  const secret = (await secrets.getByRole('status').locator('code').textContent()) ?? ''
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  const quickStart = page.getByRole('region', { name: 'Quick start' })
  for (const language of ['Node.js', 'Python', 'Go', 'C#']) {
    await quickStart.getByRole('button', { name: language }).click()
    await expect(quickStart).toContainText('box-office')
  }

  const signInTest = page.getByRole('region', { name: 'Test sign-in' }).first()
  await signInTest.getByLabel('Scopes').fill('openid api_vertex_core')
  await signInTest.getByRole('button', { name: 'Test sign-in' }).click()
  await expect(signInTest.getByRole('status')).toContainText('Works')
  await expect(signInTest).toContainText('"aud": "box-office"')
  await signInTest.getByRole('button', { name: 'Access token' }).click()
  await expect(signInTest).toContainText('"client_id": "box-office"')
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })
  await signInTest.getByLabel('With PKCE').uncheck()
  await signInTest.getByRole('button', { name: 'Test sign-in' }).click()
  await expect(signInTest.getByRole('status')).toContainText('invalid_request')

  await quickStart.getByRole('button', { name: 'Node.js' }).click()
  const code = (await quickStart.getByRole('region', { name: 'code' }).locator('pre').textContent()) ?? ''
  const visitor = await as('eve')
  const userName = await runQuickStart(code, { PASSPORT_CLIENT_SECRET: secret }, async (url) => {
    const redirected = visitor.waitForRequest('https://box.example/**')
    // The host does not exist.
    await visitor.goto(url).catch(() => {})
    return (await redirected).url()
  })
  expect(userName).toBe('Eve Moreau')

  // The use is recorded after the response.
  const readSecrets = async () =>
    (await (await page.request.get('/passport/admin/identity/clients/box-office')).json()).secrets
  await expect.poll(readSecrets).toEqual([expect.objectContaining({ lastUsedAt: expect.any(String) })])
  await page.reload()
  await expect(secrets).toContainText('last used now')
  await expect(secrets.getByRole('status')).toHaveCount(0)
  await secrets.getByRole('button', { name: 'Create secret' }).click()
  await expect(secrets.getByRole('status').locator('code')).not.toHaveText(secret)
  await expect(secrets.getByRole('listitem')).toHaveCount(2)
  await expect(secrets.getByRole('button', { name: 'Create secret' })).toHaveCount(0)
  await secrets.getByRole('button', { name: 'Delete secret 1' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete secret' }).click()
  await expect(secrets.getByRole('listitem')).toHaveCount(1)

  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Post-logout redirect URIs').fill('https://box.example/\nhttps://box.example/bye')
  await page.keyboard.press('Control+s')
  await expect(page.getByRole('region', { name: 'URIs' })).toContainText('https://box.example/bye')

  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await expect(page.getByRole('alertdialog')).toContainText('its tokens stop working at once')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Disable application' }).click()
  await expect(page.getByText('Application disabled')).toBeVisible()
  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByText('deleted a secret of the application')).toBeVisible()

  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByLabel('Type box-office to confirm').fill('box-office')
  await page.getByRole('button', { name: 'Delete application' }).click()
  await expect(page).toHaveURL(new RegExp(`${list}$`))
  await expect(page.getByRole('link', { name: 'Box office' })).toHaveCount(0)
  await page.goto('/app/admin/trash?kind=client')
  await page.getByRole('button', { name: 'Restore Box office' }).click()
  await page.getByRole('button', { name: 'View' }).click()
  await expect(secrets.getByRole('listitem')).toHaveCount(1)
})

test('a service has scopes and no redirect URI', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  await page.goto(`${list}/create`)
  await page.getByLabel('Name', { exact: true }).fill('Nightly import')
  await page.getByLabel('Service').check()
  await page.getByRole('button', { name: 'Create application' }).click()
  await expect(page.getByRole('alert')).toContainText('Choose at least one scope.')
  expect(consoleErrors.splice(0).every((text) => text.includes('400 (Bad Request)'))).toBe(true)
  await page.getByLabel('permissions.read').check()
  await page.getByRole('button', { name: 'Create application' }).click()
  await expect(page.getByRole('region', { name: 'Quick start' })).toContainText("scope='permissions.read'")
  await expect(page.getByText('Service', { exact: true })).toBeVisible()
})

test('a service that administers is marked on its page, in the list and in the audit log', async ({ as }) => {
  const page = await as('ada')
  await page.goto(`${list}/create`)
  await page.getByLabel('Name', { exact: true }).fill('Directory sync')
  await page.getByLabel('Service').check()
  await page.getByLabel('passport.admin', { exact: false }).nth(1).check()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create application' }).click()
  await expect(page.getByText('Administers', { exact: true })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Quick start' })).toContainText('valid for 10 minutes')
  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByText('with access to administration')).toBeVisible()
  await page.goto(list)
  await expect(page.getByRole('row', { name: /Directory sync/ })).toContainText('Administers')
})

test('applications are disabled and deleted in bulk, each with Undo, and a read-only one is reported', async ({
  as,
  consoleErrors,
}) => {
  const page = await as('ada')
  for (const clientName of ['Bulk one', 'Bulk two'])
    await page.request.post('/passport/admin/identity/clients', {
      headers: { 'sec-fetch-site': 'same-origin' },
      data: { clientName, redirectUris: ['https://bulk.example/'] },
    })
  await page.goto(`${list}?q=bulk`)
  const actions = page.getByRole('toolbar', { name: 'Bulk actions' })
  const undo = () => page.getByRole('button', { name: 'Undo' }).last().click()
  const disabled = page.getByRole('row').getByText('Disabled', { exact: true })
  await page.getByLabel('Select all on this page').check()
  await actions.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByText('2 applications disabled')).toBeVisible()
  await expect(disabled).toHaveCount(2)
  await undo()
  await expect(disabled).toHaveCount(0)

  const link = page.getByRole('link', { name: 'Bulk one' })
  await page.getByLabel('Select all on this page').check()
  await actions.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Type 2 to confirm').fill('2')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete 2 applications' }).click()
  await expect(page.getByText('2 applications deleted')).toBeVisible()
  await expect(link).toBeHidden()
  await undo()
  await expect(link).toBeVisible()

  await page.goto(list)
  await page.getByLabel('Select Developer Tokens').check()
  await actions.getByRole('button', { name: 'Disable' }).click()
  await expect(page.getByRole('alert').filter({ hasText: 'Developer Tokens' })).toBeVisible()
  consoleErrors.length = 0
})

test('a form that is saved after a conflict keeps the application disabled', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  const headers = { 'sec-fetch-site': 'same-origin' }
  const data = { clientName: 'Kiosk', redirectUris: ['https://kiosk.example/callback'] }
  const created = await page.request.post('/passport/admin/identity/clients', { headers, data })
  const { client } = await created.json()
  await page.goto(`${list}/${client.clientId}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Kiosk in the foyer')
  const path = `/passport/admin/identity/clients/${client.clientId}`
  await page.request.put(path, { headers, data: { ...client, enabled: false, consent: 'always' } })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Another user changed this application' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { name: 'Kiosk in the foyer', level: 1 })).toBeVisible()
  const saved = await (await page.request.get(path)).json()
  expect(saved).toMatchObject({ clientName: 'Kiosk in the foyer', enabled: false, consent: 'always' })
  expect(consoleErrors.splice(0).every((text) => text.includes('412'))).toBe(true)
})
