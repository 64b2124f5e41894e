import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './fixtures.ts'

const headers = { 'sec-fetch-site': 'same-origin' }

test('a failed email is found, resent, and the mail server is tested', async ({ as, passport }) => {
  const page = await as('ada')
  const email = 'gone@lighthouse.example'
  passport.mail.rejectNext(1, 550)
  await page.request.post('/passport/admin/users/invitations', { headers, data: { email } })
  const read = async () => (await page.request.get('/passport/admin/mails?query=gone')).json()
  await expect.poll(async () => (await read()).items[0]?.state).toBe('failed')

  await page.goto('/app/admin/mail')
  const delivery = page.getByRole('region', { name: 'Delivery' })
  await expect(delivery.getByText('passport@stage.example')).toBeVisible()
  await delivery.getByRole('button', { name: 'View and resend' }).click()
  await expect(page).toHaveURL(/\?state=failed$/)
  await page.getByPlaceholder('Recipient').fill('gone')
  const row = page.getByRole('row').filter({ hasText: email })
  await expect(row).toContainText('550 Not now for')
  // The former list is pale until that of the search has arrived.
  await expect(page).toHaveURL(/\bq=gone\b/)
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await expectAccessible(page)

  await row.getByRole('button', { name: /Actions/ }).click()
  await page.getByRole('menuitem', { name: 'View details' }).click()
  const details = page.getByRole('dialog', { name: 'Invitation' })
  await expect(details).toContainText('Can be resent until')
  await expect(details).not.toContainText('/app/join/')
  await expectAccessible(page)
  await details.getByRole('button', { name: 'Resend' }).click()
  await expect(page.getByText(`Email to ${email} queued again`)).toBeVisible()
  await passport.mail.waitForMailTo(email)
  await expect(row).toBeHidden()
  await page.goto('/app/admin/mail?q=gone')
  await expect(row).toContainText('Sent')
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)

  await page.getByRole('button', { name: 'Send test email' }).click()
  const test = page.getByRole('dialog', { name: 'Test email' })
  await expect(test).toContainText('The mail server accepted it')
  await expect(test).toContainText('250 OK')
  await test.getByRole('button', { name: 'Close' }).click()
  passport.mail.rejectNext(1, 554)
  await page.getByRole('button', { name: 'Send test email' }).click()
  await expect(test).toContainText('The mail server did not accept it')
  await expect(test).toContainText('554 Not now')
  await expectAccessible(page)
})

test('every kind is previewed in both themes, on a phone and as text, by its address', async ({ as }) => {
  const page = await as('ada')
  await page.goto('/app/admin/mail?view=previews&theme=light')
  const frame = page.frameLocator('iframe')
  await expect(frame.getByRole('heading', { name: 'New sign-in to your Stage Passport account' })).toBeVisible()
  const kinds = page.getByRole('navigation', { name: 'Kinds of email' })
  await kinds.getByRole('link', { name: 'Connected account moved' }).click()
  await expect(frame.getByRole('link', { name: 'Undo the move', exact: true })).toBeVisible()
  await page.getByLabel('Example').selectOption('To the new owner')
  await expect(frame.getByRole('link', { name: 'See your connected accounts' })).toBeVisible()
  const backgroundOf = (element: Element) => getComputedStyle(element).backgroundColor
  expect(await frame.locator('body').evaluate(backgroundOf)).toBe('rgb(250, 247, 242)')
  await page.getByRole('button', { name: 'Dark' }).click()
  await expect(frame.locator('body')).toHaveCSS('background-color', 'rgb(11, 20, 41)')
  await page.getByRole('button', { name: 'Phone' }).click()
  await expect.poll(async () => (await page.locator('iframe').boundingBox())?.width).toBe(390)
  await expect(page).toHaveURL(/theme=dark&preview=connection-moved&example=To%20the%20new%20owner&format=phone$/)
  await expectAccessible(page)
  await page.reload()
  await expect(frame.getByRole('link', { name: 'See your connected accounts' })).toBeVisible()
  await page.getByRole('button', { name: 'Text' }).click()
  await expect(page.getByText('Hello Nora Lind,')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(page)
  await page.getByLabel('Kind', { exact: true }).selectOption('Invitation')
  await expect(page.getByText('Accept the invitation:')).toBeVisible()
})

test('the link of an unknown sign-in signs the device out, once', async ({ as, asNew, passport, consoleErrors }) => {
  const home = await asNew('wanda', 'Wanda Wary')
  const thief = await as('stranger')
  await openAs(thief, passport, 'wanda')
  const { text } = await passport.mail.waitForMailTo('wanda@passport.example')
  const link = /https?:\S+\/notices\/\S+/.exec(text)?.[0] ?? ''

  const page = await as('stranger', { viewport: { width: 390, height: 844 } })
  await page.goto(link)
  await expect(page.getByRole('heading', { name: "Wasn't you?" })).toBeVisible()
  await expect(page.getByText('IP address')).toBeVisible()
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  const isSignedIn = async (of: typeof page) => (await of.request.get('/passport/apphelper/user')).status() === 200
  expect(await isSignedIn(thief)).toBe(true)

  await page.getByRole('button', { name: 'Sign the device out' }).click()
  await expect(page.getByRole('heading', { name: 'Done' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible()
  await expectAccessible(page)
  expect([await isSignedIn(home), await isSignedIn(thief), await isSignedIn(page)]).toEqual([true, false, false])
  for (const [address, heading] of [
    [link, 'This link was used before'],
    [`${link}x`, 'This link is not valid'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByRole('heading', { name: heading })).toBeVisible()
  }
  // The statuses of the last two pages.
  consoleErrors.length = 0
})
