import { addToPassport } from '@passport/world/aws-marketplace/stage-products'
import type { Browser, Page } from '@playwright/test'
import { test as base, expect, expectAccessible, expectNoSidewaysScroll } from './fixtures.ts'
import { submitForm } from './forms.ts'
import { type Passport, startPassport } from './passport.ts'

/** A server that is connected to AWS Marketplace, with the products of the demo world and a provider for invited users. */
const test = base.extend({
  passport: [
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
    async ({}, use) => {
      const passport = await startPassport({}, { connectsAws: true, signUp: 'invited' })
      await use(passport)
      await passport.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
// One worker starts the server for all tests of this file.
test.describe.configure({ mode: 'default' })

test.beforeAll(async ({ browser, passport }) => {
  const context = await browser.newContext({ baseURL: passport.url })
  await submitForm(context.request, '/login?idp=local', { name: 'ada', password: passport.passwordOf('ada') })
  await addToPassport(async (path, data) => {
    const response = await context.request.post(path, { data, headers: { 'sec-fetch-site': 'same-origin' } })
    return { status: response.status(), text: () => response.text() }
  })
  await context.close()
})

/** Buys a product as a visitor of AWS Marketplace, and goes from there to Passport. */
async function subscribe(page: Page, { aws }: Passport, product: string, quantities: Record<string, number> = {}) {
  await page.goto(aws?.url ?? '')
  await page.getByRole('link', { name: `Subscribe to ${product}` }).click()
  for (const [name, value] of Object.entries(quantities)) await page.getByLabel(name).fill(String(value))
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await page.getByRole('button', { name: 'Set up your account' }).click()
  await expect(page.getByRole('heading', { name: 'Set up your subscription' })).toBeVisible()
  await expect(page.getByText(product, { exact: true })).toBeVisible()
}

async function setUp(page: Page, orgName: string) {
  await page.getByLabel('Name of your organisation').fill(orgName)
  await page.getByRole('button', { name: 'Set up subscription' }).click()
  await expect(page.getByRole('heading', { name: 'Your subscription is ready' })).toBeVisible({ timeout: 30_000 })
}

/** Returns what the user of the page may use in the product, by key. */
async function readEntitlements(page: Page) {
  const response = await page.request.get('/passport/entitlements/me')
  const entitlements = (await response.json()) as { key: string; value: unknown }[]
  return Object.fromEntries(entitlements.map(({ key, value }) => [key, value]))
}

async function openBuyer(browser: Browser, passport: Passport, viewport = { width: 1280, height: 900 }) {
  const context = await browser.newContext({ baseURL: passport.url, viewport })
  return context.newPage()
}

async function readCode({ mail }: Passport, email: string) {
  const isCode = ({ recipients, subject }: { recipients: string[]; subject: string }) =>
    recipients.includes(email) && subject.startsWith('Your code')
  await expect.poll(() => mail.listMails().some(isCode), { timeout: 20_000 }).toBe(true)
  return /^\d{6}$/m.exec(mail.listMails().find(isCode)?.text ?? '')?.[0] ?? ''
}

test('a contract: the buyer creates an account on a phone, and has the seats', async ({ browser, passport }) => {
  const page = await openBuyer(browser, passport, { width: 390, height: 844 })
  const email = `rosa.${process.pid}@harbour-works.example`
  await subscribe(page, passport, 'Stage Pro', { Seats: 25 })
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'Continue with Passport' }).click()
  await page.getByRole('link', { name: 'Create your account' }).click()
  await expect(page.getByText(/^to set up Stage Pro for the AWS account ending in \d{4}$/)).toBeVisible()
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Name').fill('Rosa Lindholm')
  await page.getByLabel('Password', { exact: true }).fill('a long enough password')
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByLabel('Code').fill(await readCode(passport, email))
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(page.getByLabel('Contact email')).toHaveValue(email)
  await expectAccessible(page)
  await expectNoSidewaysScroll(page)
  await setUp(page, 'Harbour Works')
  expect(await readEntitlements(page)).toEqual({ 'stage.recording': true, 'stage.seats': 25 })
  await page.goto('/app/account/entitlements')
  await expect(page.getByText('Seats').first()).toBeVisible()
  await expect(page.getByText('Harbour Works').first()).toBeVisible()

  // The product is gone once AWS has taken the licence away.
  await page.goto(passport.aws?.url ?? '')
  await page.getByRole('link', { name: 'Stage Pro', exact: true }).first().click()
  await page.getByRole('button', { name: 'Cancel subscription' }).click()
  await expect.poll(() => readSubscription(page)).toMatchObject({ status: 'ending' })
  expect(await readEntitlements(page)).toEqual({ 'stage.recording': true, 'stage.seats': 25 })
  await page.getByRole('button', { name: 'End the final hour' }).click()
  await expect.poll(() => readEntitlements(page)).toEqual({})
  await page.context().close()
})

const readSubscription = async (page: Page) =>
  ((await (await page.request.get('/passport/account/subscriptions')).json()) as object[])[0]

test('pay as you go: the buyer signs in at a provider for invited users', async ({ browser, passport }) => {
  const page = await openBuyer(browser, passport)
  await subscribe(page, passport, 'Stage Hours')
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'Continue with Harbour ID' }).click()
  await page.getByLabel('Or enter a new name').fill(`Buyer ${process.pid}`)
  await page.keyboard.press('Enter')
  await setUp(page, 'Streaming Works')
  expect(await readEntitlements(page)).toEqual({ 'stage.hours': true })
  await page.context().close()
})

test('a contract with consumption and a free trial: a user sets up both, and the trial ends', async ({
  asNew,
  passport,
}) => {
  const page = await asNew(`sam.${process.pid}`, 'Sam Okafor')
  await subscribe(page, passport, 'Stage Studio', { Seats: 7, 'Streaming hours': 100 })
  await setUp(page, 'Okafor Studios')
  expect(await readEntitlements(page)).toEqual({ 'stage.hours': 100, 'stage.seats': 7 })

  await subscribe(page, passport, 'Stage Trial', { Seats: 3 })
  await page.getByLabel('Okafor Studios').check()
  await page.getByRole('button', { name: 'Set up subscription' }).click()
  await expect(page.getByRole('heading', { name: 'Your subscription is ready' })).toBeVisible({ timeout: 30_000 })
  const both = { 'stage.hours': 100, 'stage.recording': true, 'stage.seats': 10 }
  expect(await readEntitlements(page)).toEqual(both)
  await page.goto('/app/account/subscriptions')
  await expect(page.getByText('Free trial', { exact: true })).toBeVisible()

  await page.goto(passport.aws?.url ?? '')
  await page.getByRole('link', { name: 'Stage Trial', exact: true }).first().click()
  await page.getByRole('button', { name: 'Let the trial end' }).click()
  await page.getByRole('button', { name: 'End the final hour' }).click()
  await expect.poll(() => readEntitlements(page)).toEqual({ 'stage.hours': 100, 'stage.seats': 7 })
})
