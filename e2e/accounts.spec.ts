import { unusualHabits, usualHabits } from '@passport/world/oidc-provider/habits'
import { expect, expectAccessible, openAs, signIn, test } from './fixtures.ts'
import { submitForm } from './forms.ts'

test('the provider choice and the sign-in form work without scripts', async ({ as, passport }) => {
  const page = await as('stranger', { javaScriptEnabled: false })
  await page.goto('/login?returnUrl=%2Fapp%2Faccount')
  await expect(page.getByRole('heading', { name: 'Sign in to Stage Passport' })).toBeVisible()
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
  await page.getByLabel('Name').fill('eve')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toHaveText('Wrong username or password.')
  await expect(page.getByLabel('Name')).toHaveValue('eve')
  await page.getByLabel('Password').fill(passport.passwordOf('eve'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/app\/login\?returnUrl=%2Fapp%2Faccount$/)
  expect(await page.evaluate(() => 1).catch(() => 'no scripts')).toBeDefined()
})

test('a failed sign-in shows a support code and a retry link', async ({ as, consoleErrors }) => {
  const page = await as('stranger')
  await page.goto('/login?idp=local')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'Sign-in was cancelled' })).toBeVisible()
  await expect(page.getByText(/Support code [0-9A-F]{4}-[0-9A-F]{4}/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to Stage Passport' })).toBeVisible()
  consoleErrors.length = 0
})

test('a new user signs in with another provider', async ({ as }) => {
  const page = await as('stranger')
  await page.goto('/login?idp=harbour')
  await page.getByLabel('Or enter a new name').fill('Noor Visser')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Noor Visser')).toBeVisible()
  await expect(page.getByText('Harbour ID').first()).toBeVisible()
  await expect(page.getByText('No role')).toBeVisible()
})

test('a user signs in from a deep link at a provider unlike Passport, and out of both', async ({ as, passport }) => {
  const { habits, countRequests } = passport.harbour
  // The server may know the metadata of the usual habits.
  Object.assign(habits, unusualHabits, { sendsIssuer: true, postLogoutRedirectUris: [`${passport.url}/app/`] })
  const page = await as('stranger')
  await page.goto('/app/account/logins?from=mail#sessions')
  await page.getByRole('banner').getByRole('link', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: 'Continue with Harbour ID' }).click()
  await page.getByLabel('Or enter a new name').fill('Lena Lantern')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL(/\/app\/account\/logins\?from=mail#sessions$/)
  await expect(page.getByText('lena.lantern@harbour.example').first()).toBeVisible()

  const before = countRequests('/endsession')
  await page.getByRole('button', { name: 'Account menu of Lena Lantern' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(`${passport.url}/app/`)
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()
  expect(countRequests('/endsession') - before).toBe(1)
  Object.assign(habits, usualHabits)
})

test('links and unlinks a second sign-in method', async ({ as, passport }) => {
  const page = await as('stranger')
  await openAs(page, passport, 'dev', '/app/account/logins')
  await expect(page.getByText('A second method keeps you from being locked out.')).toBeVisible()
  await page.getByRole('button', { name: 'Link sign-in method' }).click()
  await page.getByRole('menuitem', { name: 'Harbour ID' }).click()
  await page.getByLabel('Or enter a new name').fill('Dev At Harbour')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Sign-in method linked')).toBeVisible()
  await expect(page.getByText('dev.at.harbour@harbour.example')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Unlink Harbour ID dev.at.harbour@harbour.example' }).click()
  const confirmation = page.getByRole('alertdialog', { name: 'Unlink Harbour ID?' })
  await expect(confirmation).toBeVisible()
  await expectAccessible(page)
  await confirmation.getByRole('button', { name: 'Unlink' }).click()
  await expect(page.getByText('Sign-in method unlinked')).toBeVisible()
  await expect(page.getByText('dev.at.harbour@harbour.example')).toBeHidden()
})

test('lists and ends sessions on other devices', async ({ as, passport }) => {
  const thisDevice = await as('stranger')
  const otherDevice = await as('stranger', {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0',
  })
  await openAs(otherDevice, passport, 'max')
  await openAs(thisDevice, passport, 'max', '/app/account/logins')
  await expect(thisDevice.getByText('this device')).toHaveCount(1)
  await thisDevice.getByRole('button', { name: 'End session in Firefox 131 on Linux' }).click()
  await expect(thisDevice.getByText('Session ended')).toBeVisible()
  await expect(thisDevice.getByText('Firefox 131 on Linux')).toBeHidden()
  await otherDevice.goto('/app/account')
  await expect(otherDevice.getByRole('link', { name: 'sign in', exact: true })).toBeVisible()
})

test('signing out ends the session here and at the provider', async ({ as, passport }) => {
  const page = await as('stranger')
  await signIn(page, passport, 'eve')
  await page.getByRole('button', { name: 'Account menu of Eve Moreau' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page).toHaveURL(`${passport.url}/app/`)
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
  await page.goto('/login?idp=local')
  await expect(page.getByLabel('Password')).toBeVisible()
})

test('signs out everywhere after a confirmation', async ({ as }) => {
  const [first, second] = [await as('stranger'), await as('stranger')]
  for (const page of [first, second]) {
    await submitForm(page.request, '/login?idp=harbour', { name: 'Everywhere Once' })
    await page.goto('/app/account/logins')
    await expect(page.getByText('this device')).toBeVisible()
  }
  await first.getByRole('button', { name: 'Sign out everywhere' }).click()
  await first.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(first.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
  await second.goto('/app/account')
  await expect(second.getByRole('link', { name: 'sign in', exact: true })).toBeVisible()
})

test('activity lists the ten latest events, and more on request', async ({ as }) => {
  const page = await as('stranger')
  for (let index = 0; index < 12; index++)
    await submitForm(page.request, '/login?idp=harbour&prompt=login', { name: 'Active Person' })
  await page.goto('/app/account/logins')
  const rows = page.getByText('Signed in with Harbour ID')
  await expect(rows).toHaveCount(10)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(rows).toHaveCount(12)
  await expect(page.getByText('Linked a login at Harbour ID')).toBeVisible()
})
