import type { Browser, Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './cast.ts'
import { submitForm } from './forms.ts'
import type { Passport } from './passport.ts'

let serial = 0
/** Somebody at Harbour, whose address follows from their name. */
const somebody = () => {
  const name = `Guest ${process.pid} ${++serial}`
  return { name, email: `${name.toLowerCase().replaceAll(' ', '.')}@harbour.example` }
}

async function invite(page: Page, email: string, role?: string) {
  await page.goto('/app/admin/users/invitations')
  await page.getByRole('link', { name: 'Invite by e-mail' }).click()
  await page.getByLabel('E-mail').fill(email)
  if (role) {
    await page.getByRole('combobox', { name: 'Roles' }).fill(role)
    await page.getByRole('option', { name: role }).click()
    await page.keyboard.press('Escape')
  }
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/users\/invitations$/)
}

/** The mails to an address, the latest first, as the mail server shows them over HTTP. */
async function mailsTo(passport: Passport, email: string): Promise<{ text: string; subject: string }[]> {
  const response = await fetch(`${passport.mail.url}/mails`)
  const mails = (await response.json()) as { recipients: string[]; text: string; subject: string }[]
  return mails.filter(({ recipients }) => recipients.includes(email))
}
async function linkFor(passport: Passport, email: string, nth = 1): Promise<string> {
  await expect.poll(async () => (await mailsTo(passport, email)).length, { timeout: 20_000 }).toBe(nth)
  const [mail] = await mailsTo(passport, email)
  return /https?:\/\/\S+\/app\/join\/[\w-]+/.exec(mail?.text ?? '')?.[0] ?? ''
}

/** Signs in at Harbour on the way to a link, in a browser of their own, and accepts what is there. */
async function acceptAs(browser: Browser, passport: Passport, name: string, link: string) {
  const context = await browser.newContext({ baseURL: passport.url })
  const page = await context.newPage()
  const path = new URL(link).pathname
  await submitForm(page.request, `/login?idp=harbour&returnUrl=${encodeURIComponent(path)}`, { name })
  await page.goto(path)
  return page
}
const rowOf = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

test('someone is invited, finds the mail, and accepts in another browser', async ({ as, passport, browser }) => {
  const page = await as('ada')
  const { name, email } = somebody()
  await invite(page, email, 'Passport.Developer')
  await expect(rowOf(page, email)).toContainText('Sent')
  await expectAccessible(page)

  const guest = await acceptAs(browser, passport, name, await linkFor(passport, email))
  await guest.getByRole('button', { name: /^(Accept|Join)/ }).click()
  await expect
    .poll(() => guest.evaluate(() => fetch('/passport/apphelper/user').then((response) => response.json())))
    .toMatchObject({ claims: { email }, roles: ['Passport.Developer'] })
  await page.reload()
  await expect(rowOf(page, email)).toContainText('Accepted')
  await guest.context().close()
})

test('somebody else who takes it waits, and an administrator confirms them', async ({ as, passport, browser }) => {
  const page = await as('ada')
  const { email } = somebody()
  const other = somebody()
  await invite(page, email, 'Passport.Developer')
  const guest = await acceptAs(browser, passport, other.name, await linkFor(passport, email))
  await guest.getByRole('button', { name: /^(Accept|Join)/ }).click()
  await expect(guest.getByText(/confirm/i).first()).toBeVisible()

  await page.goto('/app/admin/users/invitations?status=awaiting-confirmation')
  await rowOf(page, email).getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Confirm who took it …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Is this who you invited?' })
  await expect(dialog).toContainText(other.email)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: `Confirm ${other.name}` }).click()
  const question = page.getByRole('alertdialog', { name: `Give it to ${other.name}?` })
  await expect(question).toContainText('1 person gains Passport.Developer')
  await question.getByRole('button', { name: 'Confirm' }).click()
  await expect(page.getByText(`${other.name} has accepted the invitation`)).toBeVisible()
  await page.goto('/app/admin/users/invitations?status=accepted')
  await expect(rowOf(page, email)).toContainText(`By ${other.name}`)
  await guest.context().close()
})

test('an invitation is sent again and revoked', async ({ as, passport }) => {
  const page = await as('ada')
  const { email } = somebody()
  await invite(page, email)
  const first = await linkFor(passport, email)
  await rowOf(page, email).getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Send again' }).click()
  expect(await linkFor(passport, email, 2)).not.toBe(first)
  await rowOf(page, email).getByRole('button').last().click()
  await page.getByRole('menuitem', { name: 'Revoke …' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
  await expect(rowOf(page, email)).toContainText('Revoked')
})

test('what is wrong with an invitation is told at its field', async ({ as, complaints }) => {
  const page = await as('ada', { viewport: { width: 390, height: 844 } })
  await page.goto('/app/admin/users/invitations/create')
  await page.getByLabel('E-mail').fill('nobody')
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await expect(page.getByText(/Must be an e-mail address/)).toBeVisible()
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  complaints.length = 0
})
