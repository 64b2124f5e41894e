import type { Browser, Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './fixtures.ts'
import { startPassport } from './passport.ts'

const password = 'a blue kettle on the roof'

/** Opens the link as the colleague does, on a telephone, and sets a password. */
async function enrol(browser: Browser, link: string, action: string): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  const page = await context.newPage()
  await page.goto(link)
  const field = page.getByLabel('Password', { exact: true })
  await expect(field).toBeFocused()
  expect(page.url()).not.toContain('#')
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.keyboard.type('too short')
  await page.keyboard.press('Enter')
  await expect(field).toHaveAccessibleDescription('Must have 12 to 256 characters.')
  await expect(field).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type(password)
  await page.getByRole('button', { name: action }).click()
  await expect(page).toHaveURL(/\/app\/$/)
  return page
}
const whoIs = (page: Page) => page.evaluate(() => fetch('/passport/apphelper/user').then((response) => response.json()))
const readLink = (page: Page) => page.getByRole('dialog', { name: 'Hand over this link' }).getByText(/\/idp\/enrol#/)

test('a created user gets in without a mail server, by a link that is handed over', async ({ browser }) => {
  const passport = await startPassport({ SMTP_URL: '', MAIL_FROM: '' })
  const page = await browser.newPage({ baseURL: passport.url })
  await openAs(page, passport, 'ada')
  const name = `Marta ${process.pid}`
  await page.goto('/app/admin/users/create')
  await page.getByLabel('Display name').fill(name)
  await page.getByLabel('Email', { exact: true }).fill(`marta.${process.pid}@harbour.example`)
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('button', { name: 'Enrolment link' }).click()
  const link = (await readLink(page).textContent()) ?? ''
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Done' }).click()
  await expect(page.getByText(/A link waits to be opened/)).toBeVisible()

  const guest = await enrol(browser, link, 'Set password')
  expect(await whoIs(guest)).toMatchObject({ claims: { name } })
  // The link works once, and says so elsewhere.
  const other = await (await browser.newContext()).newPage()
  await other.goto(link)
  await expect(other.getByRole('heading', { name: 'This link has been used' })).toBeVisible()
  await expectAccessible(other)
  await other.context().close()
  await guest.context().close()
  await page.reload()
  await expect(page.getByRole('link', { name: 'Manage', exact: true })).toBeVisible()
  await expect(page.getByRole('button', { name: /nrolment link/ })).toHaveCount(0)
  await page.close()
  await passport.stop()
})

test('an invited user gets in by a link that the inviter hands over', async ({ as, browser }) => {
  const page = await as('ada')
  const email = `rosa.${process.pid}@harbour.example`
  await page.goto('/app/admin/users/invitations/create')
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByRole('radio', { name: /I hand it over myself/ }).check()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = (await readLink(page).textContent()) ?? ''
  await page.getByRole('button', { name: 'Done' }).click()
  const guest = await enrol(browser, link, 'Join')
  expect(await whoIs(guest)).toMatchObject({ claims: { email } })
  await guest.context().close()
  await page.reload()
  await expect(page.getByRole('row').filter({ hasText: email })).toContainText('Accepted')
})

test('a page without the secret of a link says so', async ({ as }) => {
  const page = await as('stranger')
  await page.goto('/idp/enrol')
  await expect(page.getByRole('alert')).toHaveText('The link is incomplete. Open the whole link that you were given.')
  await expectAccessible(page)
})
