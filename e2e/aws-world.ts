import { type RunningAwsMarketplace, startAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import { addToPassport } from '@passport/world/aws-marketplace/stage-products'
import { findFreePort } from '@passport/world/port'
import type { Locator, Page } from '@playwright/test'
import { test as base, expect } from './fixtures.ts'
import { startPassport } from './passport.ts'

const eventKey = 'the-event-key-of-the-browser-tests'
export const [stagePro, stageHours] = ['stagepro1a2b3c4d5e6f7g8h9', 'stagehours1a2b3c4d5e6f7g8'] as const

/** A server that is connected to a simulated AWS Marketplace. */
export const awsTest = base.extend<object, { port: number; aws: RunningAwsMarketplace }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the fixture names from the pattern
  port: [async ({}, use) => use(await findFreePort()), { scope: 'worker' }],
  aws: [
    async ({ port }, use) => {
      const path = `http://localhost:${port}/passport/licensing/awsmarketplace`
      const aws = await startAwsMarketplace({ fulfilmentUrl: `${path}/landing`, eventsUrl: `${path}/events`, eventKey })
      await use(aws)
      await aws.stop()
    },
    { scope: 'worker' },
  ],
  passport: [
    async ({ port, aws }, use) => {
      const settings = { AWS_MARKETPLACE_REGION: 'us-east-1', AWS_MARKETPLACE_EVENT_KEYS: eventKey }
      const passport = await startPassport({ PORT: String(port), ...settings, ...aws.environment })
      await use({ ...passport, url: `http://localhost:${port}` })
      await passport.stop()
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})

const headers = { 'sec-fetch-site': 'same-origin' }

/** Posts as the user of a page. */
export async function post(page: Page, path: string, data: object) {
  const response = await page.request.post(path, { headers, data })
  return { status: response.status(), text: () => response.text() }
}

/** Posts as the user of a page; returns the response. */
export async function postJson<T>(page: Page, path: string, data: object): Promise<T> {
  return JSON.parse(await (await post(page, path, data)).text())
}

/** Adds the products of the simulated seller. */
export const addProducts = (page: Page) => addToPassport((path, data) => post(page, path, data))

/** Opens a page until it has a part: events and jobs take a moment. */
export async function openUntil(page: Page, url: string, part: Locator): Promise<void> {
  await expect(async () => {
    await page.goto(url)
    await expect(part.first()).toBeVisible({ timeout: 1500 })
  }).toPass({ timeout: 30_000 })
}
