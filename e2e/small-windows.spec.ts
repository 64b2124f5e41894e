import { readFileSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

const tools = '/app/admin/tools'
const sample = readFileSync(new URL('../permissions/sample.yaml', import.meta.url), 'utf8')
const small = { viewport: { width: 390, height: 844 } }

async function openAsAda(as: (user: 'ada', options?: object) => Promise<Page>, options = {}) {
  const page = await as('ada', options)
  const headers = { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' }
  const response = await page.request.post('/passport/admin/tools/permissions/import', { headers, data: sample })
  expect(response.status(), await response.text()).toBe(200)
  return page
}

const measure = async (part: Locator) => (await part.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }

test('the selected node of the graph stays visible above the sheet of a small window', async ({ as }) => {
  const page = await openAsAda(as, small)
  await page.goto(`${tools}/relations?view=graph&at=document:roadmap`)
  await expect(page.getByRole('complementary', { name: 'document' })).toBeVisible()
  const roadmap = page.locator('[data-object="document:roadmap"]')
  await expect(roadmap).toBeInViewport({ ratio: 1 })
  const [sheet, node] = [await measure(page.getByRole('complementary', { name: 'document' })), await measure(roadmap)]
  expect(sheet.height).toBeLessThanOrEqual(0.45 * small.viewport.height + 1)
  expect(node.y + node.height).toBeLessThan(sheet.y)
  // Below the top bar.
  expect(node.y).toBeGreaterThan(56)
})

test('the graph fits the space beside the inspector', async ({ as }) => {
  const page = await openAsAda(as)
  await page.goto(`${tools}/relations?view=graph&resourceType=document`)
  const objects = page.locator('[data-object]')
  await objects.first().click()
  const aside = page.getByRole('complementary')
  await expect(aside).toBeVisible()
  await expect(async () => {
    const edge = (await measure(aside)).x
    const boxes = await Promise.all((await objects.all()).map(measure))
    expect(Math.max(...boxes.map(({ x, width }) => x + width))).toBeLessThan(edge)
  }).toPass()
})

test('the filters are collapsed in a small window', async ({ as }) => {
  const page = await openAsAda(as, small)
  await page.goto(`${tools}/relations?relation=viewer`)
  await expect(page.getByRole('group', { name: 'Filters' })).toBeHidden()
  await page.getByRole('button', { name: 'Filters (1)' }).click()
  await expect(page.getByRole('group', { name: 'Filters' })).toBeVisible()
})

test("a row's checkbox has a hit area of 12 pixels to each side of its centre, even beside the bulk bar", async ({
  as,
}) => {
  const page = await openAsAda(as)
  await page.goto(`${tools}/relations?resourceType=document`)
  const boxes = [
    page.getByRole('checkbox', { name: 'Select document:roadmap#reviewer@user:ada' }),
    page.getByRole('checkbox', { name: 'Select all shown' }),
  ]
  for (const box of boxes)
    for (const [x, y] of [
      [-11.5, 0],
      [11.5, 0],
      [0, -11.5],
      [0, 11.5],
    ] as const) {
      const { x: left, y: top, width, height } = await measure(box)
      const before = await box.isChecked()
      await page.mouse.click(left + width / 2 + x, top + height / 2 + y)
      await expect(box).toBeChecked({ checked: !before })
    }
})

test('the reading of an expression fits a small window, and type links are touch-sized', async ({ as }) => {
  const page = await openAsAda(as, small)
  await page.goto(`${tools}/permissions`)
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  const readings = page.getByText('read as').locator('..')
  await expect(readings.first()).toBeVisible()
  for (const reading of await readings.all()) {
    const { x, width } = await measure(reading)
    expect(x).toBeGreaterThanOrEqual(0)
    expect(x + width).toBeLessThanOrEqual(small.viewport.width)
  }
  const counts = page.getByRole('list', { name: 'Relationships by type' }).getByRole('link')
  for (const link of await counts.all()) expect((await measure(link)).height).toBeGreaterThanOrEqual(24)
})

test('scrolls a schema error into view', async ({ as }) => {
  const page = await openAsAda(as)
  await page.goto(`${tools}/permissions`)
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const area = page.getByRole('textbox', { name: 'Schema' })
  const text = await area.inputValue()
  const index = text.lastIndexOf('permission view') + 'permission view '.length
  await area.fill(`${text.slice(0, index)}§${text.slice(index)}`)
  const problemLink = page.getByRole('button', { name: /^Line \d+, column \d+$/ }).first()
  await area.evaluate((element) => element.parentElement?.parentElement?.scrollTo(0, 0))
  await expect(problemLink).toBeInViewport()
  await problemLink.click()
  await expect(area).toBeFocused()
  expect(await area.evaluate((element: HTMLTextAreaElement) => element.selectionStart)).toBe(index)
  await expect(page.locator('[data-wrong]').first()).toBeInViewport({ ratio: 1 })
})
