import type { Browser, Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'
import { submitForm } from './forms.ts'
import type { Passport } from './passport.ts'

let serial = 0
/** Returns the name and the email of a new user at Harbour. */
const createGuest = () => {
  const name = `Guest ${process.pid} ${++serial}`
  return { name, email: `${name.toLowerCase().replaceAll(' ', '.')}@harbour.example` }
}

async function invite(page: Page, email: string, role?: string) {
  await page.goto('/app/admin/users/invitations')
  await page.getByRole('link', { name: 'Invite by email' }).click()
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  if (role) {
    await page.getByRole('combobox', { name: 'Roles' }).fill(role)
    await page.getByRole('option', { name: role }).click()
    await page.keyboard.press('Escape')
  }
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/users\/invitations$/)
}

/** Returns the emails to a recipient, newest first, from the HTTP interface of the mail server. */
async function fetchMails(passport: Passport, email: string): Promise<{ text: string; subject: string }[]> {
  const response = await fetch(`${passport.mail.url}/mails`)
  const mails = (await response.json()) as { recipients: string[]; text: string; subject: string }[]
  return mails.filter(({ recipients }) => recipients.includes(email))
}
/** Waits until the recipient has `count` emails, and returns the link of the newest. */
async function waitForLink(passport: Passport, email: string, count = 1): Promise<string> {
  await expect.poll(async () => (await fetchMails(passport, email)).length, { timeout: 20_000 }).toBe(count)
  const [mail] = await fetchMails(passport, email)
  return /https?:\/\/\S+\/app\/join\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
}

/** Signs in at Harbour in a separate browser context and opens the invitation link. */
async function acceptAs(browser: Browser, passport: Passport, name: string, link: string) {
  const context = await browser.newContext({ baseURL: passport.url })
  const page = await context.newPage()
  const path = new URL(link).pathname
  await submitForm(page.request, `/login?idp=harbour&returnUrl=${encodeURIComponent(path)}`, { name })
  await page.goto(path)
  return page
}
const findRow = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('an invited user receives the email and accepts in another browser', async ({ as, passport, browser }) => {
  const page = await as('ada')
  const { name, email } = createGuest()
  await invite(page, email, 'Passport.Developer')
  await expect(findRow(page, email)).toContainText('Sent')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'View' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/users\/[\w-]{36}$/)
  await expect(page.getByText('Invited', { exact: true })).toBeVisible()
  await page.goBack()

  const guest = await acceptAs(browser, passport, name, await waitForLink(passport, email))
  await guest.getByRole('button', { name: /^(Accept|Join)/ }).click()
  await expect
    .poll(() => guest.evaluate(() => fetch('/passport/apphelper/user').then((response) => response.json())))
    .toMatchObject({ claims: { email }, roles: ['Passport.Developer'] })
  await page.reload()
  await expect(findRow(page, email)).toContainText('Accepted')
  await guest.context().close()
})

test('an invited user without an account types a password, and is in', async ({ as, passport, browser }) => {
  const admin = await as('ada')
  const { email } = createGuest()
  await invite(admin, email, 'Passport.Developer')
  const link = await waitForLink(passport, email)
  const context = await browser.newContext({ baseURL: passport.url, viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto(new URL(link).pathname)
  const field = page.getByLabel('Password', { exact: true })
  await expect(field).toBeFocused()
  await expect(page.getByLabel('You sign in as')).toHaveValue(email)
  await expect(page.getByText('You get Passport.Developer.')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Sign in to join with it' })).toBeVisible()
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.keyboard.type('a long enough password')
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page).toHaveURL(/\/app\/$/)
  const user = await page.evaluate(() => fetch('/passport/apphelper/user').then((response) => response.json()))
  expect(user).toMatchObject({ claims: { email }, roles: ['Passport.Developer'] })
  expect(await fetchMails(passport, email)).toHaveLength(1)
  await context.close()
})

test("an invitation claimed by another user waits for an administrator's confirmation", async ({
  as,
  passport,
  browser,
}) => {
  const page = await as('ada')
  const { email } = createGuest()
  const otherGuest = createGuest()
  await invite(page, email, 'Passport.Developer')
  const guest = await acceptAs(browser, passport, otherGuest.name, await waitForLink(passport, email))
  await guest.getByRole('button', { name: /^(Accept|Join)/ }).click()
  await expect(guest.getByText(/confirm/i).first()).toBeVisible()

  await page.goto('/app/admin/users/invitations?status=awaiting-confirmation')
  await findRow(page, email).getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Review claim…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Review claim' })
  await expect(dialog).toContainText(otherGuest.email)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: `Confirm ${otherGuest.name}` }).click()
  const confirmation = page.getByRole('alertdialog', { name: `Confirm ${otherGuest.name}?` })
  await expect(confirmation).toContainText('1 user gains Passport.Developer')
  await confirmation.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText(`${otherGuest.name} confirmed`)).toBeVisible()
  await page.goto('/app/admin/users/invitations?status=accepted')
  await expect(findRow(page, email)).toContainText(`Accepted by ${otherGuest.name}`)
  await guest.context().close()
})

test('resends and revokes an invitation', async ({ as, passport }) => {
  const page = await as('ada')
  const { email } = createGuest()
  await invite(page, email)
  const first = await waitForLink(passport, email)
  await findRow(page, email).getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Resend' }).click()
  expect(await waitForLink(passport, email, 2)).not.toBe(first)
  await findRow(page, email).getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke invitation' }).click()
  await expect(findRow(page, email)).toContainText('Revoked')
})

test('shows the error of an invalid invitation at its field', async ({ as, consoleErrors }) => {
  const page = await as('ada', { viewport: { width: 390, height: 844 } })
  await page.goto('/app/admin/users/invitations/create')
  await page.getByRole('textbox', { name: 'Email' }).fill('nobody')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page.getByText(/Must be an email address/)).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'Email' })).toBeFocused()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  consoleErrors.length = 0
})
