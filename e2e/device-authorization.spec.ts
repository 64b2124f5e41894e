import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './fixtures.ts'

/** Returns the user code shown on the device page. */
const readUserCode = async (page: Page) =>
  ((await page.getByRole('img', { name: /^([A-Z] ){4}- ([A-Z] ?){4}$/ }).getAttribute('aria-label')) ?? '').replaceAll(
    ' ',
    '',
  )

test('signs in a device with its code, and shows the outcome on both devices', async ({ as, consoleErrors }) => {
  const device = await as('dev')
  await device.goto('/app/developer/deviceflowtest')
  await expect(device.getByText('The code appears here.')).toBeVisible()
  await device.getByLabel('email').uncheck()
  await device.getByRole('button', { name: 'Start' }).click()
  await expect(device.getByText('Code received, waiting for approval')).toBeVisible()
  await expectAccessible(device)
  const code = await readUserCode(device)

  const phone = await as('eve')
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto('/app/device')
  await phone.getByLabel('Code shown on your device').fill(code.toLowerCase().replace('-', ' '))
  await phone.getByRole('button', { name: 'Continue' }).click()
  await expect(phone.getByRole('heading', { name: 'Device Flow Test wants to access your account' })).toBeVisible()
  await expect(phone.getByText('same as yours')).toBeVisible()
  await expect(phone.getByText('Read and change your profile, preferences and groups')).toBeVisible()
  await expect(phone.getByText('See your email address')).toHaveCount(0)
  await expectAccessible(phone)
  await expectNoSidewaysScroll(phone)
  const [approve, deny] = await Promise.all(
    ['Approve', "I didn't start this"].map((name) => phone.getByRole('button', { name }).boundingBox()),
  )
  expect(approve?.width).toBe(deny?.width)
  await phone.getByRole('button', { name: 'Approve' }).click()
  await expect(phone.getByText('Device signed in')).toBeVisible()

  await expect(device.getByText('Eve Moreau', { exact: true })).toBeVisible()
  await expect(device.getByText('"preferred_username": "eve"')).toBeVisible()
  await expect(device.getByText('200: tokens received')).toBeVisible()
  // The browser logs each pending poll.
  consoleErrors.splice(0, consoleErrors.length, ...consoleErrors.filter((text) => !text.includes('400 (Bad Request)')))
})

test('signs in a device that shows a number only after that number is entered', async ({ as, consoleErrors }) => {
  const device = await as('dev')
  await device.goto('/app/developer/enhanceddevice')
  await device.getByRole('button', { name: 'Start' }).click()
  await expect(device.getByText('Then enter this number')).toBeVisible()
  await expectAccessible(device)
  const approvalUrl = await device.getByRole('link', { name: 'Approve in a new tab' }).getAttribute('href')
  const number = (await device.getByText('Then enter this number').textContent())?.replace(/\D/g, '') ?? ''

  const phone = await as('eve')
  await expect(device.getByText('Not opened yet')).toBeVisible()
  await phone.goto(approvalUrl ?? '')
  await expect(device.getByText('Request opened')).toBeVisible()
  await expect(phone.getByRole('button', { name: 'Approve' })).toBeDisabled()
  const field = phone.getByLabel('2-digit number shown on the device')
  await field.fill(number === '99' ? '98' : '99')
  await phone.getByRole('button', { name: 'Approve' }).click()
  await expect(phone.getByRole('alert')).toHaveText('Wrong number. Enter the number shown on the device.')
  await expect(phone.getByText('2 attempts left')).toBeVisible()
  await field.fill(number)
  await field.press('Enter')
  await expect(phone.getByText('Device signed in')).toBeVisible()
  await expect(device.getByText('Approved', { exact: true })).toBeVisible()
  await expect(device.getByText('Eve Moreau', { exact: true })).toBeVisible()
  // The browser logs the wrong number's 400 and the pending polls.
  consoleErrors.splice(0, consoleErrors.length, ...consoleErrors.filter((text) => !text.includes('400 (Bad Request)')))
})

test('signs in a device with a PIN only after the correct PIN', async ({ as, consoleErrors }) => {
  const device = await as('dev')
  await device.goto('/app/developer/enhanceddevice')
  await device.getByLabel('Require a PIN').check()
  await device.getByRole('button', { name: 'Start' }).click()
  const field = device.getByLabel('PIN shown after approval')
  const submitPin = device.getByRole('button', { name: 'Submit PIN' })
  await expect(submitPin).toBeDisabled()
  await expectAccessible(device)
  const approvalUrl = await device.getByRole('link', { name: 'Approve in a new tab' }).getAttribute('href')
  const number = (await device.getByText('Then enter this number').textContent())?.replace(/\D/g, '') ?? ''
  await field.fill('0000')
  await submitPin.click()
  await expect(device.getByText('The device has not been approved yet.')).toBeVisible()

  const phone = await as('eve')
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto(approvalUrl ?? '')
  await expect(phone.getByText('this page shows a 4-digit PIN')).toBeVisible()
  await phone.getByLabel('2-digit number shown on the device').fill(number)
  await phone.getByRole('button', { name: 'Approve' }).click()
  await expect(phone.getByRole('heading', { name: 'Enter this PIN on the device' })).toBeVisible()
  await expectAccessible(phone)
  await expectNoSidewaysScroll(phone)
  const pin = (await phone.getByText(/^\d{4}$/).textContent()) ?? ''

  await expect(device.getByText('Approved', { exact: true })).toBeVisible()
  await field.fill(pin === '0000' ? '0001' : '0000')
  await field.press('Enter')
  await expect(device.getByText('Wrong PIN. Enter the PIN shown at the approval. 2 attempts left.')).toBeVisible()
  await field.fill(pin)
  await field.press('Enter')
  await expect(device.getByText('PIN accepted. Waiting for tokens.')).toBeVisible()
  await expect(device.getByText('Eve Moreau', { exact: true })).toBeVisible()
  // The browser logs the early and wrong PINs and the pending polls.
  consoleErrors.splice(
    0,
    consoleErrors.length,
    ...consoleErrors.filter((text) => !/40[09] \((Bad Request|Conflict)\)/.test(text)),
  )
})

test('keeps a scanned code across the sign-in, and denies the request', async ({ as, passport, consoleErrors }) => {
  const device = await as('dev')
  await device.goto('/app/developer/deviceflowtest')
  await device.getByRole('button', { name: 'Start' }).click()
  await expect(device.getByText('Code received, waiting for approval')).toBeVisible()
  const code = await readUserCode(device)

  const phone = await as('stranger')
  await phone.goto(`/app/device?user_code=${code}`)
  await expect(phone.getByText('Sign in to see which device this code is for.')).toBeVisible()
  await expectAccessible(phone)
  const href = (await phone.locator('#main').getByRole('link', { name: 'Sign in' }).getAttribute('href')) ?? ''
  expect(href).toBe(`/login?returnUrl=${encodeURIComponent(`/app/device?user_code=${code}`)}`)
  await openAs(phone, passport, 'eve', `/app/device?user_code=${code}`)
  await phone.getByRole('button', { name: "I didn't start this" }).click()
  await expect(phone.getByText('Sign-in denied')).toBeVisible()
  await expect(device.getByText('Denied. The device gets no tokens.')).toBeVisible()
  consoleErrors.splice(0, consoleErrors.length, ...consoleErrors.filter((text) => !text.includes('400 (Bad Request)')))
})

test('reports an unknown code at its field', async ({ as, consoleErrors }) => {
  const phone = await as('eve')
  await phone.goto('/app/device')
  await phone.getByLabel('Code shown on your device').fill('unknown')
  await phone.keyboard.press('Enter')
  await expect(phone.getByText('Code not found. Check the code on your device.')).toBeVisible()
  await expectAccessible(phone)
  consoleErrors.splice(0, consoleErrors.length, ...consoleErrors.filter((text) => !text.includes('404 (Not Found)')))
})
