import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

/** Enters a wrong password, and returns the support code of the form. */
async function failSignIn(user: Page): Promise<string> {
  await user.goto('/login?idp=local')
  await user.getByLabel('Username or email').fill('eve')
  await user.getByLabel('Password', { exact: true }).fill('not her password')
  await user.getByRole('button', { name: 'Sign in' }).click()
  const code = (await user.locator('.support code').textContent()) ?? ''
  expect(code).toMatch(/^[0-9A-F]{4}-[0-9A-F]{4}$/)
  return code
}

test('a failed sign-in has a code, which leads an administrator to its steps, cause and fix', async ({
  as,
  passport,
  consoleErrors,
}) => {
  const user = await as('stranger')
  const code = await failSignIn(user)
  await expectAccessible(user)

  const admin = await as('ada')
  await admin.goto('/app/')
  await expect(admin.getByRole('heading', { level: 1 })).toBeVisible()
  await admin.keyboard.press('Control+k')
  await admin.getByRole('combobox', { name: 'Search or run a command' }).fill(code)
  await expect(admin.getByRole('option', { name: new RegExp(`Trace ${code}`) })).toBeVisible()
  await admin.keyboard.press('Enter')
  await expect(admin).toHaveURL(`${passport.url}/app/admin/audit/signins/trace?q=${code}`)
  await expect(admin.getByRole('heading', { name: 'Wrong password' })).toBeVisible()
  await expect(admin.getByText('What to do:')).toBeVisible()
  const steps = admin.getByRole('region', { name: 'Step by step' })
  await expect(steps.getByText('Sign-in started')).toBeVisible()
  await expect(steps.getByText('Failed: ')).toHaveCount(1)
  await expectAccessible(admin)
  await admin.setViewportSize({ width: 390, height: 844 })
  await expectNoSidewaysScroll(admin)

  // A message that only the browser knows is found by the same search.
  const box = admin.getByRole('textbox', { name: 'Support code or error message' })
  await box.fill('Error: Popup window closed')
  await box.press('Enter')
  await expect(admin.getByRole('heading', { name: 'Popup closed' })).toBeVisible()
  await box.fill('0000-0000')
  await box.press('Enter')
  await expect(admin.getByText('No sign-in with the code 0000-0000')).toBeVisible()
  // The browser logs the 404 of the unknown code.
  expect(consoleErrors.pop()).toContain('/signintraces/0000-0000')
})

test('the sign-in log is filtered by result, reason and a range of its chart, all in the address', async ({ as }) => {
  await failSignIn(await as('stranger'))
  const page = await as('ada')
  await page.goto('/app/')
  await page.getByRole('region', { name: 'Failed sign-ins' }).getByRole('link').click()
  await expect(page).toHaveURL(/\/admin\/audit\/signins\?result=failed&from=/)
  await expect(page.getByRole('button', { name: 'Failed', exact: true })).toHaveAttribute('aria-pressed', 'true')
  await page.getByLabel('Reason').selectOption('password-wrong')
  await expect(page).toHaveURL(/reason=password-wrong/)
  await expect(page.getByRole('table', { name: 'Sign-ins' }).getByText('Wrong password').first()).toBeVisible()

  const chart = page.getByRole('img', { name: /failed/ })
  const box = await chart.boundingBox()
  if (!box) throw new Error('The chart has no size')
  await page.mouse.move(box.x + box.width - 4, box.y + 30)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width - 60, box.y + 40, { steps: 4 })
  await page.mouse.up()
  await expect(page).toHaveURL(/from=[^&]+Z&to=[^&]+Z|to=[^&]+Z/)
  const url = page.url()
  await page.reload()
  await expect(page.getByRole('button', { name: /Clear Time/ })).toBeVisible()
  expect(page.url()).toBe(url)

  // By keyboard: the first slider moves to the last step, which is then shown in shorter steps.
  await page.getByRole('button', { name: 'Choose range' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('slider', { name: /From/ }).focus()
  await page.keyboard.press('End')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Show range' }).press('Enter')
  await expect(page).not.toHaveURL(url)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await expect(page).toHaveURL(/\/admin\/audit\/signins$/)
})
