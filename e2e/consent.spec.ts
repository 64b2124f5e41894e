import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './fixtures.ts'
import type { Passport } from './passport.ts'

/** Opens the tokens page and follows its forced sign-in to the form for the password. */
async function openForcedSignIn(page: Page, passport: Passport) {
  await openAs(page, passport, 'dev', '/app/developer/tokens')
  await page.getByRole('button', { name: 'Generate Token' }).click()
  await expect(page.getByText('Developer Tokens asks you to sign in again, to confirm that it is you.')).toBeVisible()
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
}

const readBackground = (page: Page, name: string) =>
  page.getByRole('button', { name }).evaluate((button) => getComputedStyle(button).backgroundColor)

test('a forced sign-in gives its reason, fills in the username, and leads to consent with one primary button', async ({
  as,
  passport,
}) => {
  const page = await as('stranger')
  await openForcedSignIn(page, passport)
  await expect(page.getByText('Developer Tokens asks you to sign in again, to confirm that it is you.')).toBeVisible()
  await expect(page.getByLabel('Username')).toHaveValue('dev')
  await expect(page.getByLabel('Password')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type(passport.passwordOf('dev'))
  await page.keyboard.press('Enter')

  await expect(page.getByRole('heading', { name: 'Allow Developer Tokens?' })).toBeVisible()
  await expect(page.getByRole('listitem')).toHaveText([
    'Know who you are',
    'See your name and your usernameDev Patel, dev',
    'See your email addressdev@passport.example',
    'Read and change your profile, preferences and groups',
  ])
  await expect(page.getByText('Either way you return to Stage Passport.')).toBeVisible()
  await expect(page.getByText('api_vertex_core')).toBeHidden()
  await page.getByText('Details for developers').click()
  await expect(page.getByText('api_vertex_core')).toBeVisible()
  expect(await readBackground(page, 'Deny')).toBe('rgba(0, 0, 0, 0)')
  expect(await readBackground(page, 'Allow')).not.toBe('rgba(0, 0, 0, 0)')
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 })
    await expectNoSidewaysScroll(page)
  }
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect(page.getByRole('alert')).toContainText('You denied access on the consent page.')
})

test('the sign-in form shows the password on request, and a link fills in a demo user', async ({ as, passport }) => {
  const page = await as('stranger')
  await page.goto('/login?idp=local')
  await page.getByRole('link', { name: 'eve' }).click()
  await expect(page.getByLabel('Username')).toHaveValue('eve')
  const password = page.getByLabel('Password')
  await password.fill(passport.passwordOf('eve'))
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(password).toHaveAttribute('type', 'text')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Hide password' }).click()
  await expect(password).toHaveAttribute('type', 'password')
  await password.press('Enter')
  await expect(page).toHaveURL(/\/app\/$/)
})

test('the pages of the server have the theme chosen in the console', async ({ as }) => {
  const page = await as('eve')
  const choose = async (theme: string) => {
    await page.goto('/app/')
    await page.getByRole('button', { name: /^Theme/ }).click()
    await page.getByText(theme, { exact: true }).click()
    await page.goto('/login')
  }
  const readScheme = () => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
  await choose('Dark')
  expect(await readScheme()).toBe('dark')
  await choose('System theme')
  expect(await readScheme()).toBe('light dark')
})
