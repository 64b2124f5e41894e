import { test as base, expect, expectAccessible, expectNoSidewaysScroll, openAs } from './fixtures.ts'
import { startPassport } from './passport.ts'

const test = base.extend({
  passport: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const passport = await startPassport({}, { connectsMeta: true })
      await use(passport)
      await passport.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
// One worker starts the server for all tests of this file.
test.describe.configure({ mode: 'default' })

test('connects a Meta account after a question, and removes it', async ({ as, asNew, passport }) => {
  const page = await asNew('cora', 'Cora Connects')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url() + (request.postData() ?? '')))
  await page.goto('/app/account/logins')
  await page.getByRole('link', { name: 'Connect account' }).click()
  await page.getByRole('link', { name: 'Connect Meta Horizon' }).click()
  await expect(page.getByRole('heading', { name: 'Connect your Meta Horizon account' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Continue as').fill('NightOwl42')
  requests.length = 0
  await page.getByRole('button', { name: 'Continue' }).click()

  await expect(page.getByRole('heading', { name: 'Connect NightOwl42 to Cora Connects?' })).toBeVisible()
  expect(page.url()).toBe(`${passport.url}/app/connect/metahorizon/callback`)
  const withPayload = requests.filter((request) => request.includes('payload'))
  expect(withPayload).toEqual([expect.stringContaining('/passport/connect/metahorizon/callback{')])
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.getByRole('button', { name: 'Connect account' }).click()
  await expect(page.getByText('Account connected', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/app\/account\/logins\?linked=metahorizon$/)
  await expectNoSidewaysScroll(page)
  await page.setViewportSize({ width: 1440, height: 900 })

  // Administrators find the user by the id of the account.
  const { orgScopedId } = passport.meta.account('NightOwl42')
  const admin = await as('ada')
  await admin.goto(`/app/admin/users?q=metahorizon:${orgScopedId}`)
  await admin.getByRole('link', { name: 'Cora Connects' }).first().click()
  await admin.getByRole('link', { name: 'Sign-in methods' }).first().click()
  await expect(admin.getByText(orgScopedId)).toBeVisible()
  await expectAccessible(admin)

  await page.getByRole('button', { name: 'Remove Meta Horizon NightOwl42' }).click()
  const question = page.getByRole('alertdialog', { name: 'Remove NightOwl42?' })
  await expect(question).toContainText('Nothing is revoked at Meta Horizon.')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('Account removed')).toBeVisible()
  await expect(page.getByText('NightOwl42')).toBeHidden()
})

test('an account of another user is moved on request, and its former owner undoes the move', async ({
  as,
  asNew,
  passport,
  consoleErrors,
}) => {
  const connect = async (page: Awaited<ReturnType<typeof as>>) => {
    await page.goto('/app/connect/metahorizon')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Continue as').fill('Shared42')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Connect account' }).click()
  }
  const former = await asNew('fay', 'Fay Former')
  await connect(former)
  await expect(former.getByText('Shared42', { exact: true })).toBeVisible()
  const mover = await asNew('mo', 'Mo Mover')
  await connect(mover)
  await expect(mover.getByRole('heading', { name: 'Move Shared42 to your account?' })).toBeVisible()
  await expect(mover.getByText('Fay')).toBeHidden()
  await expectAccessible(mover)
  await mover.getByRole('button', { name: 'Move account' }).click()
  await expect(mover.getByText('Shared42', { exact: true })).toBeVisible()

  const { text } = await passport.mail.waitForMailTo('fay@passport.example')
  const link = /https?:\S+\/undo#\S+/.exec(text)?.[0] ?? ''
  // The link works without a session.
  const page = await as('stranger')
  await page.goto(link)
  await expect(page).toHaveURL(/\/undo$/)
  await page.getByRole('button', { name: 'Undo the move' }).click()
  await expect(page.getByText('is connected to you again')).toBeVisible()
  const again = await page.context().newPage()
  await again.goto(link)
  await again.getByRole('button', { name: 'Undo the move' }).click()
  await expect(again.getByRole('alert')).toHaveText('This move can no longer be undone.')
  await expectAccessible(again)
  consoleErrors.length = 0
})

test('a wrong callback has its sentence and a way to try again', async ({ as, passport, consoleErrors }) => {
  const page = await as('stranger')
  await page.goto('/app/connect/metahorizon/callback#abc')
  await expect(page.getByRole('link', { name: 'Sign in to connect' })).toHaveAttribute(
    'href',
    '/login?returnUrl=%2Fapp%2Fconnect%2Fmetahorizon',
  )
  await expectAccessible(page)
  await openAs(page, passport, 'eve', '/app/connect/metahorizon')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByRole('alert')).toHaveText('The service has not shared an account. You may have cancelled.')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Try again' }).click()
  await expect(page.getByRole('button', { name: 'Continue' })).toBeVisible()
  await page.goto('/app/connect/lighthouse')
  await expect(page.getByText('not available on this stack')).toBeVisible()
  consoleErrors.length = 0
})
