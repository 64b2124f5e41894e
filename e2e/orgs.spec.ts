import { type NameServer, startNameServer } from '@passport/world/dns'
import type { Page } from '@playwright/test'
import { test as base, expect, expectAccessible, openAs } from './fixtures.ts'
import { startPassport } from './passport.ts'

/** Tests with a Passport that uses their name server, which holds the records of the domains. */
const test = base.extend<object, { names: NameServer }>({
  names: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const names = await startNameServer()
      await use(names)
      await names.close()
    },
    { scope: 'worker' },
  ],
  passport: [
    async ({ names }, use) => {
      const passport = await startPassport({ DNS_RESOLVER: names.address })
      await use(passport)
      await passport.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
// Later tests depend on records of earlier ones.
test.describe.configure({ mode: 'serial' })

/** Finds the link of a tab, whose name may end with a count. */
const findTab = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name: new RegExp(`^${name}( ?[\\d,]+)?$`) })

async function createOrg(page: Page, name: string, domains = ''): Promise<void> {
  await page.goto('/app/admin/orgs/create')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Domains').fill(domains)
  await page.getByRole('button', { name: 'Create organisation' }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

/** Creates a link on an organisation's page and returns its URL. */
async function createLink(page: Page, fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void> = async () => {}) {
  await findTab(page, 'Join links').click()
  await page.getByRole('button', { name: 'Create link' }).click()
  const form = page.getByRole('dialog')
  await fill(form)
  await form.getByRole('button', { name: 'Create link' }).click()
  await expect(form.getByRole('img', { name: 'QR code of the link' })).toBeVisible()
  return (await form.getByRole('code').textContent()) ?? ''
}

async function chooseAction(page: Page, user: string, action: string) {
  const item = page.getByRole('menuitem', { name: action, exact: true })
  // A click misses a row that moves, and its open menu closes, when the list is loaded again after a change.
  await expect(async () => {
    if (!(await item.isVisible())) await page.getByRole('button', { name: `Actions for ${user}` }).click()
    await item.click({ timeout: 1000 })
  }).toPass()
}
const findRow = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

test('creates an organisation and verifies a domain by DNS', async ({ as, names, consoleErrors }) => {
  const admin = await as('ada')
  await admin.goto('/app/admin/orgs')
  await expect(admin.getByText(/no organisations yet/i)).toBeVisible()
  await admin.getByRole('link', { name: 'Create organisation' }).click()
  await admin.getByLabel('Name').fill('Contoso Söhne')
  await admin.getByLabel('Domains').fill('gmail.com')
  await admin.getByRole('button', { name: 'Create organisation' }).click()
  await expect(admin.getByText('gmail.com is a public mail service.')).toBeVisible()
  await expectAccessible(admin)
  await admin.getByLabel('Domains').fill('contoso.example')
  await admin.getByRole('button', { name: 'Create organisation' }).click()
  await expect(admin.getByRole('heading', { level: 1, name: 'Contoso Söhne' })).toBeVisible()
  await expect(admin.getByText('contoso-sohne')).toBeVisible()

  await findTab(admin, 'Domains').click()
  await admin.getByRole('button', { name: 'Verify contoso.example' }).click()
  await expect(admin.getByText('No TXT record found at _passport-challenge.contoso.example.')).toBeVisible()
  const value = (await admin.getByRole('code').filter({ hasText: 'passport-verify=' }).textContent()) ?? ''
  names.records.set('_passport-challenge.contoso.example', ['passport-verify=another-value'])
  await admin.getByRole('button', { name: 'Verify contoso.example' }).click()
  await expect(admin.getByText('passport-verify=another-value')).toBeVisible()
  await expectAccessible(admin)
  names.records.set('_passport-challenge.contoso.example', [value])
  await admin.getByRole('button', { name: 'Verify contoso.example' }).click()
  await expect(admin.getByText('Record found. contoso.example is verified.')).toBeVisible()
  // The browser logs the failed verifications.
  consoleErrors.length = 0
})

test('a user joins an organisation by a join link in a second browser', async ({ as, passport }) => {
  const admin = await as('ada')
  await admin.goto('/app/admin/orgs?q=contoso')
  await admin.getByRole('link', { name: /Contoso Söhne/ }).click()
  const joinUrl = await createLink(admin, (form) => form.getByLabel('Maximum uses').fill('1'))
  await expectAccessible(admin)

  const second = await as('stranger')
  await second.goto(joinUrl)
  await expect(second.getByRole('heading', { name: 'You are invited to Contoso Söhne' })).toBeVisible()
  await expectAccessible(second)
  await second.getByRole('link', { name: 'Continue' }).click()
  await expect(second.getByText('Ada Lovelace invites you to this organisation.')).toBeVisible()
  await expectAccessible(second)
  const signInPath = await second.getByRole('link', { name: 'Sign in to join' }).getAttribute('href')
  const returnUrl = new URL(joinUrl).pathname.replace('/join/', '/app/join/')
  expect(signInPath).toBe(`/login?returnUrl=${encodeURIComponent(returnUrl)}`)
  await openAs(second, passport, 'eve', returnUrl)
  await expect(second.getByRole('button', { name: 'Join Contoso Söhne' })).toBeVisible()

  await second.goto('/app/account/orgs')
  await second.getByLabel('Join link').fill('contoso')
  await second.getByRole('button', { name: 'Open invitation' }).click()
  await expect(second.getByText('Paste the whole link.')).toBeVisible()
  await second.getByLabel('Join link').fill(joinUrl)
  await second.getByRole('button', { name: 'Open invitation' }).click()
  await second.getByRole('link', { name: 'Continue' }).click()
  await second.getByRole('button', { name: 'Join Contoso Söhne' }).click()
  await expect(second.getByRole('heading', { name: 'You joined Contoso Söhne' })).toBeVisible()

  await expect(admin.getByRole('dialog').getByText('1 of 1 joined')).toBeVisible()
  await admin.getByRole('button', { name: 'Done' }).click()
  await expect(admin.getByText('Used up')).toBeVisible()
  await second.getByRole('link', { name: 'Your organisations' }).click()
  await expect(findRow(second, 'Contoso Söhne')).toContainText('Member')
  await second.getByRole('button', { name: 'Actions for Contoso Söhne' }).click()
  await expect(second.getByRole('menuitem', { name: 'Leave…' })).toBeVisible()
})

test('a member becomes an owner, is removed and restored, and manages the organisation', async ({
  as,
  consoleErrors,
}) => {
  const admin = await as('ada')
  await admin.goto('/app/admin/orgs?q=contoso')
  await admin.getByRole('link', { name: /Contoso Söhne/ }).click()
  await findTab(admin, 'Members').click()
  await admin.getByRole('button', { name: 'Add members' }).click()
  await admin.getByRole('combobox', { name: 'Users' }).fill('dev')
  await admin.getByRole('option', { name: /Dev Patel/ }).click()
  await admin.getByRole('dialog').getByLabel('Role', { exact: true }).selectOption('owner')
  await admin.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await expect(findRow(admin, 'Dev Patel')).toContainText('Owner')

  await chooseAction(admin, 'Eve Moreau', 'Make owner')
  await expect(findRow(admin, 'Eve Moreau')).toContainText('Owner')
  await chooseAction(admin, 'Eve Moreau', 'Remove')
  await expect(findRow(admin, 'Eve Moreau')).toBeHidden()
  const toast = admin.locator('.Toastify__toast').filter({ hasText: 'Eve Moreau removed' })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(findRow(admin, 'Eve Moreau')).toContainText('Owner')

  const owner = await as('eve')
  await owner.goto('/app/account/orgs')
  await owner.getByRole('link', { name: 'Contoso Söhne' }).click()
  await expect(owner.getByText('You are an owner')).toBeVisible()
  await findTab(owner, 'Members').click()
  await chooseAction(owner, 'Dev Patel', 'Make member')
  await expect(findRow(owner, 'Dev Patel')).toContainText('Member')
  await chooseAction(owner, 'Eve Moreau', 'Remove')
  await expect(owner.getByText('An organisation must have an owner.')).toBeVisible()
  consoleErrors.length = 0
})

test('an invitation that cannot be accepted explains the reason', async ({ as, consoleErrors }) => {
  const admin = await as('ada')
  await createOrg(admin, 'Fabrikam')
  const personalLink = await createLink(admin, (form) =>
    form.getByLabel('Allowed email address').fill('noor@contoso.example'),
  )
  await admin.getByRole('button', { name: 'Done' }).click()
  const revokedLink = await createLink(admin)
  await admin.getByRole('button', { name: 'Revoke link', exact: true }).click()
  await expect(admin.getByRole('dialog').getByText('Revoked')).toBeVisible()

  const eve = await as('eve')
  const open = (joinUrl: string) => eve.goto(joinUrl.replace('/join/', '/app/join/'))
  await open(personalLink)
  await eve.getByRole('button', { name: 'Join Fabrikam' }).click()
  await expect(eve.getByRole('heading', { name: 'This invitation is for someone else' })).toBeVisible()
  await expectAccessible(eve)
  await open(revokedLink)
  await expect(eve.getByRole('heading', { name: 'This invitation was revoked' })).toBeVisible()
  await open('/join/unknown-invitation')
  await expect(eve.getByRole('heading', { name: 'Invitation not found' })).toBeVisible()
  consoleErrors.length = 0
})

test('renames, deletes and restores an organisation', async ({ as }) => {
  const admin = await as('ada')
  await createOrg(admin, 'Northwind')
  await admin.getByRole('button', { name: 'Edit', exact: true }).click()
  await admin.getByLabel('Name').fill('Northwind Traders')
  await admin.getByRole('button', { name: 'Save' }).click()
  await expect(admin.getByRole('heading', { level: 1, name: 'Northwind Traders' })).toBeVisible()
  await admin.getByRole('button', { name: 'Actions', exact: true }).click()
  await admin.getByRole('menuitem', { name: 'Delete' }).click()
  await admin.getByLabel('Type Northwind Traders to confirm').fill('Northwind Traders')
  await admin.getByRole('button', { name: 'Delete organisation' }).click()
  await expect(admin.getByRole('heading', { level: 1, name: 'Organisations' })).toBeVisible()
  await expect(admin.getByRole('link', { name: /Northwind Traders/ })).toBeHidden()
  const toast = admin.locator('.Toastify__toast').filter({ hasText: 'Organisation deleted' })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(admin.getByRole('link', { name: /Northwind Traders/ })).toBeVisible()
})
