import { expect, expectAccessible, openAs, signIn, test } from './cast.ts'
import { submitForm } from './forms.ts'

test('one signs in from a choice without scripts, and the pages of the server are of one look', async ({
  as,
  passport,
}) => {
  const page = await as('stranger', { javaScriptEnabled: false })
  await page.goto('/login?returnUrl=%2Fapp%2Faccount')
  await expect(page.getByRole('heading', { name: 'Sign in to Stage Passport' })).toBeVisible()
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
  await page.getByLabel('Name').fill('eve')
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByRole('alert')).toHaveText('The name or the password is not right.')
  await expect(page.getByLabel('Name')).toHaveValue('eve')
  await page.getByLabel('Password').fill(passport.passwordOf('eve'))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/app\/login\?returnUrl=%2Fapp%2Faccount$/)
  expect(await page.evaluate(() => 1).catch(() => 'no scripts')).toBeDefined()
})

test('what goes wrong is told with a code and a way on', async ({ as, complaints }) => {
  const page = await as('stranger')
  await page.goto('/login?idp=local')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('heading', { name: 'Sign-in was cancelled' })).toBeVisible()
  await expect(page.getByText(/Support code [0-9A-F]{4}-[0-9A-F]{4}/)).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { name: 'Sign in to Stage Passport' })).toBeVisible()
  complaints.length = 0
})

test('one who is new comes in through another provider', async ({ as }) => {
  const page = await as('stranger')
  await page.goto('/login?idp=harbour')
  await page.getByLabel('Or be someone new').fill('Noor Visser')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('Noor Visser')).toBeVisible()
  await expect(page.getByText('Harbour ID').first()).toBeVisible()
  await expect(page.getByText('No role')).toBeVisible()
})

test('a second login is linked and unlinked', async ({ as, passport }) => {
  const page = await as('stranger')
  await openAs(page, passport, 'dev', '/app/account/logins')
  await expect(page.getByText('This is the only way in, so it cannot be unlinked.')).toBeVisible()
  await page.getByRole('button', { name: 'Link a login' }).click()
  await page.getByRole('menuitem', { name: 'Harbour ID' }).click()
  await page.getByLabel('Or be someone new').fill('Dev At Harbour')
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByText('The login is linked to your account')).toBeVisible()
  await expect(page.getByText('dev.at.harbour@harbour.example')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Unlink Harbour ID dev.at.harbour@harbour.example' }).click()
  const question = page.getByRole('alertdialog', { name: 'Unlink Harbour ID?' })
  await expect(question).toBeVisible()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Unlink' }).click()
  await expect(page.getByText('The login is unlinked')).toBeVisible()
  await expect(page.getByText('dev.at.harbour@harbour.example')).toBeHidden()
})

test('sessions elsewhere are seen and ended', async ({ as, passport }) => {
  const here = await as('stranger')
  const there = await as('stranger', {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0',
  })
  await openAs(there, passport, 'max')
  await openAs(here, passport, 'max', '/app/account/logins')
  await expect(here.getByText('this device')).toHaveCount(1)
  await here.getByRole('button', { name: 'End the session of Firefox 131 on Linux' }).click()
  await expect(here.getByText('The session is ended')).toBeVisible()
  await expect(here.getByText('Firefox 131 on Linux')).toBeHidden()
  await there.goto('/app/account')
  await expect(there.getByRole('link', { name: 'sign in', exact: true })).toBeVisible()
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

test('signing out everywhere is asked about, and then done', async ({ as }) => {
  const [one, two] = [await as('stranger'), await as('stranger')]
  for (const page of [one, two]) {
    await submitForm(page.request, '/login?idp=harbour', { name: 'Everywhere Once' })
    await page.goto('/app/account/logins')
    await expect(page.getByText('this device')).toBeVisible()
  }
  await one.getByRole('button', { name: 'Sign out everywhere' }).click()
  await one.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await expect(one.getByRole('main').getByRole('link', { name: 'Sign in' })).toBeVisible()
  await two.goto('/app/account')
  await expect(two.getByRole('link', { name: 'sign in', exact: true })).toBeVisible()
})

test('activity tells what happened, and shows more of it when asked', async ({ as }) => {
  const page = await as('stranger')
  for (let at = 0; at < 12; at++)
    await submitForm(page.request, '/login?idp=harbour&prompt=login', { name: 'Active Person' })
  await page.goto('/app/account/logins')
  const rows = page.getByText('Signed in through Harbour ID')
  await expect(rows).toHaveCount(10)
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(rows).toHaveCount(12)
  await expect(page.getByText('Linked a login at Harbour ID')).toBeVisible()
})
