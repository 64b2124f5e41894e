import type { Page } from '@playwright/test'
import { test as base, expect, expectAccessible, expectNoSidewaysScroll } from './fixtures.ts'
import { startPassport } from './passport.ts'

const test = base.extend({
  passport: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const passport = await startPassport({}, { connectsEntra: true })
      await use(passport)
      await passport.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
// One worker starts the server for all tests of this file.
test.describe.configure({ mode: 'default' })

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })

async function post(page: Page, path: string, data: object = {}) {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const response = await page.request.post(`/passport/${path}`, { headers, data })
  expect(response.ok(), await response.text()).toBe(true)
  return response.json()
}

/** Creates the organisation of a tenant, without consent. */
async function createOrg(page: Page, domain: string): Promise<string> {
  const { org } = await post(page, 'admin/orgs/entra', { domain, cloud: 'AzurePublic' })
  return org.id
}

/** Sends a set-up link from the page of an organisation; returns it. */
async function sendLink(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Send a set-up link' }).click()
  const dialog = page.getByRole('dialog', { name: /^Set-up link for/ })
  const url = (await dialog.locator('code').textContent()) ?? ''
  expect(url).toMatch(/\/app\/setup#[\w-]{43}$/)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  return url
}

/** Creates a SCIM token on the page; returns its value. */
async function createToken(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create token' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create SCIM token' })
  await dialog.getByLabel('Expires').selectOption('In 90 days')
  await dialog.getByRole('button', { name: 'Create token' }).click()
  return (await page.locator('code').filter({ hasText: /^psc_/ }).first().textContent()) ?? ''
}

test('a customer sets up their organisation by a link, step by step', async ({ as, passport, consoleErrors }) => {
  const ada = await as('ada')
  const orgId = await createOrg(ada, 'meridian.example')
  await post(ada, 'groups', { name: 'Night crew', orgId })
  await ada.goto(`/app/admin/orgs/${orgId}`)
  const url = await sendLink(ada)
  await expect(ada.getByText('Nobody opened it')).toBeVisible()

  const customer = await as('stranger')
  const requested: string[] = []
  customer.on('request', (request) => requested.push(request.url()))
  await customer.goto(url)
  await expect(heading(customer, 'Set up Meridian Cargo').or(heading(customer, /^Set up /))).toBeVisible()
  await expect(customer).toHaveTitle(/^Set Up Your Organisation \| /)
  // The token is neither in the address nor in a request but the one that opens the link.
  expect(customer.url()).toMatch(/\/app\/setup$/)
  expect(requested.filter((address) => address.includes(url.split('#')[1] ?? '-'))).toEqual([])
  await expectAccessible(customer)

  // The consent page opens in a tab of its own, and this page goes on by itself.
  const popup = customer.waitForEvent('popup')
  await customer.getByRole('button', { name: 'Open consent page' }).click()
  const consent = await popup
  await consent.getByRole('button', { name: 'Accept' }).click()
  await expect(heading(consent, 'Thank you')).toBeVisible()
  await consent.close()
  await customer.bringToFront()
  await expect(heading(customer, 'Groups')).toBeVisible({ timeout: 15_000 })

  // A reload and Back keep the step and what was entered.
  await customer.getByLabel('Object ID of the group').fill('1b9f3c52-7d0e-4a5b-9c8d-2e6f1a3b4c5d')
  await customer.reload()
  await expect(customer.getByLabel('Object ID of the group')).toHaveValue(/^1b9f3c52/)
  await customer.getByLabel(/^Group in/).selectOption('Night crew')
  await customer.getByRole('button', { name: 'Add mapping' }).click()
  await expect(customer.getByRole('listitem').filter({ hasText: '1b9f3c52' })).toContainText('Night crew')
  await expectAccessible(customer)
  await customer.getByRole('button', { name: 'Continue' }).click()
  await expect(customer.getByText('Tenant URL', { exact: true })).toBeVisible()
  await customer.goBack()
  await expect(heading(customer, 'Groups')).toBeVisible()
  await customer.goForward()
  const token = await createToken(customer)
  await expect(customer.getByText('Copy the token now.')).toBeVisible()
  await expectAccessible(customer)
  await customer.getByRole('button', { name: 'Continue' }).click()

  await customer.getByRole('button', { name: 'Test sign-in' }).click()
  await customer.getByRole('button', { name: 'Mira Olsen' }).click()
  await expect(customer.getByText('The test sign-in succeeded')).toBeVisible()
  await expect(heading(customer, "You're done")).toBeVisible()
  await expectAccessible(customer)
  await customer.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(customer)

  // The administrator sees who opened it, and that only they can enable sign-in.
  await ada.reload()
  await expect(ada.getByText(/^Opened .* from 127\.0\.0\.1$/)).toBeVisible()
  const other = await as('stranger')
  await other.goto(url)
  await expect(heading(other, 'Opened in another browser')).toBeVisible()
  await expectAccessible(other)
  await customer.goto(url)
  await expect(customer.getByText('You opened this link before.')).toBeVisible()

  // The requests of the customer appear by themselves, and errors say what to do.
  await ada.getByRole('link', { name: 'Provisioning' }).click()
  await expect(ada.getByText('Set-up link', { exact: true })).toBeVisible()
  await expect(heading(ada, 'Waiting for the first request')).toBeVisible()
  await expectAccessible(ada)
  const tenantUrl = (await ada.locator('code').filter({ hasText: '/passport/scim/v2/' }).textContent()) ?? ''
  const entra = await as('stranger')
  await entra.goto(passport.entra[0]?.authority ?? '')
  const meridian = entra.locator('section').filter({ hasText: 'Meridian Freight' })
  await meridian.getByText('Provisioning', { exact: true }).click()
  await meridian.getByLabel('Tenant URL').fill(tenantUrl)
  await meridian.getByLabel('Secret token').fill(token)
  await meridian.getByRole('button', { name: 'Save and provision' }).click()
  await expect(meridian.getByText(/Last cycle \(initial\).* 0 failed/)).toBeVisible()
  await expect(heading(ada, 'Requests')).toBeVisible({ timeout: 15_000 })
  const state = ada.getByRole('region', { name: 'State' })
  await expect(state).toContainText(/Users3/)
  await expect(state.getByRole('img')).toHaveAccessibleName(/requests in the last 24 hours, 0 failed/)
  await meridian.getByText('Change people').click()
  await meridian.getByRole('button', { name: 'Remove Jonas Weber' }).click()
  await meridian.getByRole('button', { name: 'Provision now' }).click()
  await expect(state).toContainText('1 inactive', { timeout: 15_000 })
  await expect(ada.getByRole('button', { name: /^PATCH Users/ }).first()).toBeVisible()
  await ada.getByLabel('User or group').fill('Mira')
  await ada.getByRole('option', { name: /Mira Olsen/ }).click()
  await expect(ada.getByText(/It can be restored for 30 days/)).toBeVisible()
  await customer.request.post(`/passport/scim/v2/${orgId}/Users`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
    data: { displayName: 'Ana', externalId: 'not-a-guid' },
  })
  await ada.getByRole('button', { name: 'Errors' }).click()
  await expect(ada).toHaveURL(/outcome=failed/)
  await ada.getByRole('button', { name: /^POST Users/ }).click()
  await expect(ada.getByRole('dialog', { name: 'SCIM request' })).toContainText('userName')
  await expectAccessible(ada)
  await ada.keyboard.press('Escape')
  await ada.getByRole('link', { name: 'Overview' }).click()
  await ada.getByRole('link', { name: 'Continue set-up' }).click()
  await ada.getByRole('button', { name: 'Enable sign-in' }).click()
  await expect(ada.getByText('Sign-in enabled')).toBeVisible()
  await customer.reload()
  await expect(customer.getByText('The set-up is complete: sign-in is enabled.')).toBeVisible()
  // The browser logs the rejected calls of links that have ended.
  const unexpected = consoleErrors.filter((text) => !/410 \(Gone\)/.test(text))
  consoleErrors.splice(0, consoleErrors.length, ...unexpected)
})

test('an owner sends and revokes a link, and each end of a link has its sentence', async ({ as, consoleErrors }) => {
  const [ada, owner] = [await as('ada'), await as('eve')]
  const orgId = await createOrg(ada, 'vastra.example')
  const { id } = await (await owner.request.get('/passport/apphelper/user'))
    .json()
    .then(({ claims }) => ({ id: claims.sub }))
  await post(ada, `admin/orgs/${orgId}/members/add`, { members: [id], role: 'owner' })
  await owner.goto(`/app/account/orgs/${orgId}`)
  const url = await sendLink(owner)
  const customer = await as('stranger')
  await customer.goto('/app/setup')
  await expect(heading(customer, 'Open your set-up link')).toBeVisible()
  // Only the fragment changes, which a browser does not load.
  await customer.goto('/app/setup#an-unknown-token')
  await expect(heading(customer, 'Unknown set-up link')).toBeVisible()
  await customer.goto(url)
  await expect(heading(customer, /^Set up /)).toBeVisible()
  const created = await customer.request.post('/passport/setup/scimtokens', {
    data: { name: 'Entra provisioning', expiresInDays: 365 },
    headers: { 'sec-fetch-site': 'same-origin' },
  })
  expect(created.status()).toBe(201)
  await owner.getByRole('button', { name: 'Revoke…' }).click()
  const dialog = owner.getByRole('alertdialog')
  await expect(dialog.getByText('Entra provisioning')).toBeVisible()
  await expect(dialog.getByLabel('Also revoke the SCIM token that it created')).toBeChecked()
  await expectAccessible(owner)
  await dialog.getByRole('button', { name: 'Revoke link' }).click()
  await expect(owner.getByText('Set-up link and its SCIM tokens revoked')).toBeVisible()
  await customer.reload()
  await expect(heading(customer, 'The link was revoked')).toBeVisible()
  await expectAccessible(customer)
  const unexpected = consoleErrors.filter((text) => !/4(?:10 \(Gone\)|04 \(Not Found\))/.test(text))
  consoleErrors.splice(0, consoleErrors.length, ...unexpected)
})
