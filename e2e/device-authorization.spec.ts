import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, openAs, test } from './cast.ts'

/** The code that the page shows as a device. */
const codeOn = async (page: Page) =>
  ((await page.getByRole('img', { name: /^([A-Z] ){4}- ([A-Z] ?){4}$/ }).getAttribute('aria-label')) ?? '').replaceAll(
    ' ',
    '',
  )

test('a device is signed in by its code, at both ends', async ({ as, complaints }) => {
  const device = await as('dev')
  await device.goto('/app/developer/deviceflowtest')
  await expect(device.getByText('Nothing has been asked yet.')).toBeVisible()
  await device.getByLabel('email').uncheck()
  await device.getByRole('button', { name: 'Start' }).click()
  await expect(device.getByText('It has a code and waits')).toBeVisible()
  await expectAccessible(device)
  const code = await codeOn(device)

  const phone = await as('eve')
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto('/app/device')
  await phone.getByLabel('The code that your device shows').fill(code.toLowerCase().replace('-', ' '))
  await phone.getByRole('button', { name: 'Look it up' }).click()
  await expect(phone.getByRole('heading', { name: 'Device Flow Test wants to be signed in as you' })).toBeVisible()
  await expect(phone.getByText('the same as yours')).toBeVisible()
  await expect(phone.getByText('Use Vertex as you')).toBeVisible()
  await expect(phone.getByText('See your e-mail address')).toHaveCount(0)
  await expectAccessible(phone)
  await expectNoSidewaysScroll(phone)
  const [approve, deny] = await Promise.all(
    ['Approve', 'I did not start this'].map((name) => phone.getByRole('button', { name }).boundingBox()),
  )
  expect(approve?.width).toBe(deny?.width)
  await phone.getByRole('button', { name: 'Approve' }).click()
  await expect(phone.getByText('The device is signed in')).toBeVisible()

  await expect(device.getByText('Eve Moreau', { exact: true })).toBeVisible()
  await expect(device.getByText('"preferred_username": "eve"')).toBeVisible()
  await expect(device.getByText('200: the device has its tokens')).toBeVisible()
  // The browser itself tells of each poll that had to wait.
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('400 (Bad Request)')))
})

test('a device that shows a number is kept out without it', async ({ as, complaints }) => {
  const device = await as('dev')
  await device.goto('/app/developer/enhanceddevice')
  await device.getByRole('button', { name: 'Start' }).click()
  await expect(device.getByText('Then type this number')).toBeVisible()
  await expectAccessible(device)
  const address = await device.getByRole('link', { name: 'Approve in a new tab' }).getAttribute('href')
  const number = (await device.getByText('Then type this number').textContent())?.replace(/\D/g, '') ?? ''

  const phone = await as('eve')
  await expect(device.getByText('Nobody has looked at it yet')).toBeVisible()
  await phone.goto(address ?? '')
  await expect(device.getByText('Somebody gave the code and sees who asks')).toBeVisible()
  await expect(phone.getByRole('button', { name: 'Approve' })).toBeDisabled()
  const field = phone.getByLabel('The 2 digits that the device shows')
  await field.fill(number === '99' ? '98' : '99')
  await phone.getByRole('button', { name: 'Approve' }).click()
  await expect(phone.getByRole('alert')).toHaveText('That is not the number that the device shows.')
  await expect(phone.getByText('2 more tries')).toBeVisible()
  await field.fill(number)
  await field.press('Enter')
  await expect(phone.getByText('The device is signed in')).toBeVisible()
  await expect(device.getByText('They approved').first()).toBeVisible()
  await expect(device.getByText('Eve Moreau', { exact: true })).toBeVisible()
  // The browser itself tells of the wrong number's 400, and of the polls that had to wait.
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('400 (Bad Request)')))
})

test('a device that asks for a PIN is in once the right one was typed on it', async ({ as, complaints }) => {
  const device = await as('dev')
  await device.goto('/app/developer/enhanceddevice')
  await device.getByLabel('Ask for a PIN, too').check()
  await device.getByRole('button', { name: 'Start' }).click()
  const field = device.getByLabel('The PIN that you are shown when you approve')
  const give = device.getByRole('button', { name: 'Give the PIN' })
  await expect(give).toBeDisabled()
  await expectAccessible(device)
  const address = await device.getByRole('link', { name: 'Approve in a new tab' }).getAttribute('href')
  const number = (await device.getByText('Then type this number').textContent())?.replace(/\D/g, '') ?? ''
  await field.fill('0000')
  await give.click()
  await expect(device.getByText('Nobody has approved the device yet.')).toBeVisible()

  const phone = await as('eve')
  await phone.setViewportSize({ width: 390, height: 844 })
  await phone.goto(address ?? '')
  await expect(phone.getByText('this page shows a PIN of 4 digits')).toBeVisible()
  await phone.getByLabel('The 2 digits that the device shows').fill(number)
  await phone.getByRole('button', { name: 'Approve' }).click()
  await expect(phone.getByRole('heading', { name: 'Now type this PIN on the device' })).toBeVisible()
  await expectAccessible(phone)
  await expectNoSidewaysScroll(phone)
  const pin = (await phone.getByText(/^\d{4}$/).textContent()) ?? ''

  await expect(device.getByText('They approved').first()).toBeVisible()
  await field.fill(pin === '0000' ? '0001' : '0000')
  await field.press('Enter')
  await expect(device.getByText('That is not the PIN that was shown at the approval. 2 more tries.')).toBeVisible()
  await field.fill(pin)
  await field.press('Enter')
  await expect(device.getByText('That is the PIN. The device asks for its tokens.')).toBeVisible()
  await expect(device.getByText('Eve Moreau', { exact: true })).toBeVisible()
  // The browser itself tells of the PINs that were too early and wrong, and of the polls that had to wait.
  complaints.splice(
    0,
    complaints.length,
    ...complaints.filter((text) => !/40[09] \((Bad Request|Conflict)\)/.test(text)),
  )
})

test('a code that is scanned by somebody who is not signed in is not lost', async ({ as, passport, complaints }) => {
  const device = await as('dev')
  await device.goto('/app/developer/deviceflowtest')
  await device.getByRole('button', { name: 'Start' }).click()
  await expect(device.getByText('It has a code and waits')).toBeVisible()
  const code = await codeOn(device)

  const phone = await as('stranger')
  await phone.goto(`/app/device?user_code=${code}`)
  await expect(phone.getByText('Sign in to see which device asks with this code.')).toBeVisible()
  await expectAccessible(phone)
  const href = (await phone.locator('#main').getByRole('link', { name: 'Sign in' }).getAttribute('href')) ?? ''
  expect(href).toBe(`/login?returnUrl=${encodeURIComponent(`/app/device?user_code=${code}`)}`)
  await openAs(phone, passport, 'eve', `/app/device?user_code=${code}`)
  await phone.getByRole('button', { name: 'I did not start this' }).click()
  await expect(phone.getByText('The device was kept out')).toBeVisible()
  await expect(device.getByText('Somebody said no. The device gets nothing.')).toBeVisible()
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('400 (Bad Request)')))
})

test('a code that is none says so where it is typed', async ({ as, complaints }) => {
  const phone = await as('eve')
  await phone.goto('/app/device')
  await phone.getByLabel('The code that your device shows').fill('nonsense')
  await phone.keyboard.press('Enter')
  await expect(phone.getByText('There is no such code. Look at your device again.')).toBeVisible()
  await expectAccessible(phone)
  complaints.splice(0, complaints.length, ...complaints.filter((text) => !text.includes('404 (Not Found)')))
})
