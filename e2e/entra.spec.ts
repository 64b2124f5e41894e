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

const createPath = '/app/admin/orgs/createentra'
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name })

/** Searches for a tenant, and creates its organisation. The page then waits for the consent. */
async function createOrg(page: Page, domain: string) {
  await page.goto(`${createPath}?q=${domain}`)
  await page.getByRole('button', { name: 'Create and continue' }).click()
  await expect(page.getByText('Waiting for consent')).toBeVisible()
}

const readLink = async (page: Page) => (await page.locator('code[title*=adminconsent]').getAttribute('title')) ?? ''

/** Answers a consent link as an administrator of the tenant, who has no session here. */
async function answer(page: Page, link: string, decision: 'Accept' | 'Cancel', fault?: string) {
  await page.goto(link)
  if (fault) await page.getByLabel('Behaviour of this cloud').selectOption(fault)
  await page.getByRole('button', { name: decision }).click()
  await expect(heading(page, 'Thank you')).toBeVisible()
}

/** Creates the organisation of a tenant over HTTP; with consent, its domains are verified. */
async function connect(page: Page, tenant: { domain: string; cloud: string }) {
  const { org, consentUrl } = await post(page, 'entra', tenant)
  const response = await fetch(consentUrl, { method: 'POST', body: new URLSearchParams({ decision: 'accept' }) })
  expect(await response.text()).toContain('Thank you')
  return org.id as string
}

async function post(page: Page, path: string, data: object = {}) {
  const headers = { 'sec-fetch-site': 'same-origin' }
  const response = await page.request.post(`/passport/admin/orgs/${path}`, { headers, data })
  expect(response.ok(), await response.text()).toBe(true)
  return response.json()
}

test('a tenant is found, consents, is tested and enabled, and its user signs in by email', async ({
  as,
  consoleErrors,
}) => {
  const page = await as('ada')
  await page.goto('/app/admin/tools?q=mira.olsen@meridian.example')
  await expect(heading(page, 'meridian.example')).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByRole('list', { name: /^Decision about mira/ })).toContainText('No organisation has verified')
  await page.getByRole('link', { name: 'Create Entra organisation' }).click()
  await page.getByLabel('Name in Passport').fill('x'.repeat(129))
  await page.getByRole('button', { name: 'Create and continue' }).click()
  await expect(page.getByLabel('Name in Passport')).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByLabel('Name in Passport')).toHaveAccessibleDescription(/128/)
  await page.getByLabel('Name in Passport').fill('Meridian')
  await expectAccessible(page)
  await page.reload()
  await expect(page.getByLabel('Name in Passport')).toHaveValue('Meridian')
  await page.getByRole('button', { name: 'Create and continue' }).click()

  // The link is in this tab, after a reload and Back too.
  await expect(page.getByText(/Expires in 59:\d\d/)).toBeVisible()
  await expectAccessible(page)
  const link = await readLink(page)
  await page.goBack()
  await expect(heading(page, 'Tenant found')).toBeVisible()
  await page.goForward()
  await page.reload()
  expect(await readLink(page)).toBe(link)
  await answer(await as('stranger'), link, 'Accept')

  await expect(heading(page, 'Groups and roles')).toBeVisible()
  await expect(page).toHaveURL(/step=groups/)
  await page.getByLabel('From').selectOption('App role')
  await page.getByLabel('Value of the app role').fill('Dispatcher')
  await page.getByLabel('Groups and roles in Passport').fill('Passport.Dev')
  await expect(page.getByRole('option', { name: /Passport.Developer/ })).toBeDisabled()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add mapping' }).click()
  await expect(page.getByText('Choose a group or a role.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText("This mapping isn't added yet.")).toBeVisible()
  await page.getByLabel('Guests of the tenant may sign in').check()
  // A reload keeps the draft.
  await page.reload()
  await expect(page.getByLabel('Guests of the tenant may sign in')).toBeChecked()
  await expect(page.getByLabel('Value of the app role')).toHaveValue('Dispatcher')
  await page.getByLabel('Value of the app role').fill('')
  await page.getByRole('button', { name: 'Continue' }).click()

  await expect(page.getByText('Guests of the tenant may sign in.')).toBeVisible()
  await expect(page.getByText('meridian-cargo.example')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Enable sign-in' })).toBeDisabled()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Test sign-in' }).click()
  await page.getByRole('button', { name: 'Mira Olsen' }).click()
  await expect(page.getByText('The test sign-in succeeded.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Continue set-up' }).click()
  await page.getByRole('button', { name: 'Enable sign-in' }).click()
  await expect(page.getByText('Sign-in enabled')).toBeVisible()

  const employee = await as('stranger')
  await employee.goto('/login?returnUrl=%2Fapp%2F')
  await employee.getByLabel('Email').fill('jonas.weber@meridian.example')
  await employee.keyboard.press('Enter')
  await expect(employee.getByRole('button', { name: 'Account menu of Jonas Weber' })).toBeVisible()

  await page.getByRole('main').getByRole('link', { name: 'Open organisation' }).click()
  await page.getByRole('link', { name: 'Entra', exact: true }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Disable…' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question).toContainText('their sessions and tokens end now')
  await question.getByRole('button', { name: 'Disable sign-in' }).click()
  await expect(page.getByText('Sign-in disabled')).toBeVisible()
  await employee.reload()
  await expect(employee.getByRole('link', { name: 'Sign in' }).first()).toBeVisible()
  // The browser logs the rejected name.
  const unexpected = consoleErrors.filter((text) => !/400.*orgs\/entra/.test(text))
  consoleErrors.splice(0, consoleErrors.length, ...unexpected)
})

test('a failed consent is explained, and a new link follows an expired one', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  await page.clock.install()
  await createOrg(page, 'vastra.example')
  const stranger = await as('stranger')
  const main = page.getByRole('main')
  // The page asks for the consent every five seconds.
  const poll = () => page.clock.fastForward(5000)

  await answer(stranger, await readLink(page), 'Cancel')
  await poll()
  await expect(main.getByText('The administrator declined')).toBeVisible({ timeout: 10_000 })
  await expect(main.getByText('There is no open link.')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'New link' }).click()
  await answer(stranger, await readLink(page), 'Accept', 'forged-consent-tenant')
  await poll()
  await expect(main.getByText('Another tenant consented.')).toBeVisible({ timeout: 10_000 })

  // An administrator of this server sees why a replaced link, and then a used one, is not accepted.
  await page.getByRole('button', { name: 'New link' }).click()
  const replaced = await readLink(page)
  await page.getByRole('button', { name: 'New link' }).click()
  await expect.poll(() => readLink(page)).not.toBe(replaced)
  const administrator = await as('ada')
  const explanation = administrator.getByRole('alert').first()
  await administrator.goto(replaced)
  await administrator.getByRole('button', { name: 'Cancel' }).click()
  await expect(explanation).toHaveText(/a newer one had replaced it.*Support code [0-9A-F]{4}-[0-9A-F]{4}/)
  await administrator.goto(await readLink(page))
  await administrator.getByRole('button', { name: 'Cancel' }).click()
  await expect(explanation).toHaveText(/declined.*Support code/)
  const state = new URL(replaced).searchParams.get('state') ?? ''
  const foreign = `/passport/connect/entra/adminconsent/callback?admin_consent=True&tenant=x&state=${state}x`
  await administrator.goto(foreign)
  await expect(heading(administrator, 'This response belongs to no consent link')).toBeVisible()
  await expect(administrator.getByText(/Support code [0-9A-F]{4}-[0-9A-F]{4}/)).toBeVisible()
  consoleErrors.length = 0
  await poll()

  await page.getByRole('button', { name: 'New link' }).click()
  await expect(page.getByText('Waiting for consent')).toBeVisible()
  await page.clock.fastForward('01:01:00')
  await expect(main.getByText('The link has expired.')).toBeVisible()
  await page.clock.setSystemTime(Date.now())
  await page.getByRole('button', { name: 'New link' }).click()
  await expect(page.getByText(/Expires in 59:\d\d|Expires in 60:00/)).toBeVisible()

  // Left half-way, it is in the list, whose page leads back to this step.
  await page.goto('/app/admin/orgs')
  const row = page.getByRole('row', { name: /vastra/ })
  await expect(row).toContainText('Waiting for consent')
  await row.getByRole('link').first().click()
  await page.getByRole('link', { name: 'Continue set-up' }).click()
  await expect(page).toHaveURL(/createentra\?org=/)
  await answer(stranger, await readLink(page), 'Accept', 'none')
  await poll()
  await expect(heading(page, 'Guests')).toBeVisible({ timeout: 10_000 })
})

test('six sign-ins in a browser go where the simulator says', async ({ as, passport, consoleErrors }) => {
  const page = await as('ada')
  const tenant = passport.entra[0]?.tenants.find(({ defaultDomain }) => defaultDomain === 'marisol.example')
  const orgId = await connect(page, { domain: 'marisol.example', cloud: 'AzurePublic' })
  await connect(page, { domain: 'orient.example', cloud: 'AzureChina' })
  const { url } = await post(page, `${orgId}/entra/actions/testsignin`)
  await page.goto(url)
  await page.getByRole('button', { name: 'Ines Duarte' }).click()
  await expect(page.getByText('The test sign-in succeeded.')).toBeVisible()
  await post(page, `${orgId}/entra/actions/enable`)

  const cases = [
    ['ines.duarte@marisol.example', 'Microsoft Entra', 'Ines Duarte'],
    ['Paulo.Reis@MARISOL.example', 'Microsoft Entra', 'Paulo Reis'],
    ['new.nurse@marisol.onmicrosoft.example', 'Microsoft Entra', 'Pick an account'],
    [tenant?.id ?? '', 'Microsoft Entra', 'Pick an account'],
    ['wei.zhang@orient.example', 'Choice page', 'Choose another way to sign in.'],
    ['somebody@unknown.example', 'Choice page', 'Choose another way to sign in.'],
  ] as const
  await page.goto('/app/admin/tools/tenantDiscovery')
  await page.getByLabel('Email addresses').fill(cases.map(([email]) => email).join('\n'))
  await page.getByRole('button', { name: 'Simulate' }).click()
  for (const [email, outcome, arrival] of cases) {
    await expect(page.getByRole('row', { name: email })).toContainText(outcome)
    const user = await as('stranger')
    await user.goto('/login')
    await user.getByLabel('Email').fill(email)
    await user.keyboard.press('Enter')
    await expect(user.getByText(arrival).first(), email).toBeVisible()
    if (outcome === 'Choice page') await expect(user.getByLabel('Email')).toHaveValue(email)
  }
  await page.getByRole('button', { name: cases[4][0] }).click()
  await expect(page.getByRole('list', { name: /^Decision about/ })).toContainText('Sign-in is disabled')
  await expectAccessible(page)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download CSV' }).click()
  expect((await download).suggestedFilename()).toBe('simulated-sign-ins.csv')

  // On a phone too.
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.goto('/app/admin/tools/tenantDiscovery?q=orient.example')
  await expect(page.getByText('Several clouds have this domain.')).toBeVisible()
  await expectNoSidewaysScroll(page)
  await page.goto(`${createPath}?q=orient.example`)
  await page.getByRole('radio', { name: /China/ }).check()
  await expect(page.getByText(/This tenant belongs to/)).toBeVisible()
  await expectAccessible(page)
  await page.goto(`${createPath}?q=unknown.example`)
  await expect(heading(page, 'No tenant found for unknown.example')).toBeVisible()
  await page.goto(`${createPath}?q=nonsense`)
  await expect(page.getByText('Must be a domain, an email address or a tenant id.')).toBeVisible()
  await expectAccessible(page)
  // The browser logs the rejected question.
  consoleErrors.length = 0
})
