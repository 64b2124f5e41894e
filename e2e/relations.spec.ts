import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const tools = '/app/admin/tools'
const headers = { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' }
const sample = readFileSync(new URL('../permissions/sample.yaml', import.meta.url), 'utf8')

async function importYaml(page: Page, yaml: string) {
  const response = await page.request.post('/passport/admin/tools/permissions/import', { headers, data: yaml })
  expect(response.status(), await response.text()).toBe(200)
}

/** Imports the sample and signs in as ada. The tests of a worker share the relationships, and each restores the sample. */
async function openAsAda(as: (who: 'ada', options?: object) => Promise<Page>, options = {}) {
  const page = await as('ada', options)
  await importYaml(page, sample)
  return page
}

const small = { viewport: { width: 390, height: 844 } }

test('shows what a subject can access with its path, and compares subjects', async ({ as }) => {
  const page = await openAsAda(as)
  await page.goto(`${tools}/permissions/lookupResources`)
  await page.getByLabel('Subject ID').fill('ada')
  await page.getByLabel('Permission', { exact: true }).selectOption('view')
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(page).toHaveURL(/lookupResources\?subject=user%3Aada&permission=view$/)
  const documents = page.getByRole('region', { name: 'Document', exact: true })
  await documents.getByRole('button', { name: 'Allowed: view, document:handbook' }).click()
  await expect(documents.getByRole('link', { name: 'viewer' })).toHaveAttribute('href', /resourceId=/)
  await page.getByRole('button', { name: 'Compare with another subject' }).click()
  await page.getByLabel('Other subject ID').fill('mia')
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(documents.getByRole('row').filter({ hasText: 'payroll' })).toContainText('Only user:mia')
})

test('compares what a subject can access with an earlier revision', async ({ as }) => {
  const page = await openAsAda(as)
  await importYaml(page, 'relationships: |-\n  document:payroll#viewer@group:engineering#member\n')
  await page.goto(`${tools}/permissions/lookupResources?subject=user:ada&type=document&permission=view`)
  await page.getByRole('button', { name: 'Compare with an earlier revision' }).click()
  const revisionSelect = page.getByRole('combobox', { name: 'Earlier revision' })
  const added = revisionSelect
    .locator('option', { hasText: 'Before: Added document:payroll#viewer@group:engineering' })
    .first()
  await revisionSelect.selectOption((await added.getAttribute('value')) ?? '')
  await page.getByRole('button', { name: 'Look up' }).click()
  const rows = page.getByRole('region', { name: 'Document', exact: true }).getByRole('row')
  await expect(rows.filter({ hasText: 'payroll' })).toContainText('Gained since')
  await expect(rows.filter({ hasText: 'roadmap' })).toContainText('Unchanged')
  await expectAccessible(page)
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const relationship = {
    resource: { type: 'document', id: 'payroll' },
    relation: 'viewer',
    subject: { type: 'group', id: 'engineering', relation: 'member' },
  }
  const data = { updates: [{ operation: 'delete', relationship }] }
  await page.request.post('/passport/admin/tools/permissions/relationships', { headers, data })
  const reloadedSelect = page.getByRole('combobox', { name: 'Earlier revision' })
  await page.reload()
  const removed = reloadedSelect
    .locator('option', { hasText: 'Before: Deleted document:payroll#viewer@group:engineering' })
    .first()
  await reloadedSelect.selectOption((await removed.getAttribute('value')) ?? '')
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(rows.filter({ hasText: 'payroll' })).toContainText('Lost since')
  await rows.filter({ hasText: 'payroll' }).getByRole('button', { name: 'Allowed: view, document:payroll' }).click()
  await expect(rows.filter({ hasText: 'payroll' }).getByRole('link', { name: 'member' })).toBeVisible()
})

test('scrolls through thousands of accessible resources with few elements, and exports them all', async ({ as }) => {
  const page = await openAsAda(as)
  const lines = Array.from({ length: 2600 }, (_, index) => `  document:many${index}#viewer@user:reader\n`)
  await importYaml(page, `relationships: |-\n${lines.join('')}`)
  await page.goto(`${tools}/permissions/lookupResources?subject=user:reader&permission=view`)
  const documents = page.getByRole('region', { name: 'Document', exact: true })
  await expect(documents.getByText('1,000+')).toBeVisible()
  await expect(page.getByText('No results for: folder')).toBeVisible()
  await expectAccessible(page)

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const saved = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
  expect(saved.filter((line) => line.startsWith('document,many')).length).toBe(2600)

  await documents
    .getByRole('button', { name: /view, document:/ })
    .first()
    .focus()
  // Each page of 1,000 loads when the end of the previous ones is in view; the handbook is public, too.
  for (const count of ['2,000+', '2,601']) {
    await page.keyboard.press('End')
    await expect(documents.getByText(count, { exact: true })).toBeVisible()
  }
  await expect(documents.getByText('so far')).toHaveCount(0)
  const last = documents.getByRole('button', { name: 'Allowed: view, document:many999' })
  // The key moves to the last row rendered at that moment.
  await expect(async () => {
    await page.keyboard.press('End')
    await expect(last).toBeFocused({ timeout: 1000 })
  }).toPass()
  await expect(
    documents.getByRole('button', { name: /view, document:/ }).and(page.locator('[tabindex="0"]')),
  ).toHaveCount(1)
  expect(await page.locator('*').count()).toBeLessThan(900)
  await last.click()
  await expect(documents.getByRole('link', { name: 'Full explanation' })).toBeInViewport()
  const deleted = await page.request.post('/passport/admin/tools/permissions/relationships/delete', {
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    data: { filter: { subjectType: 'user', subjectId: 'reader' } },
  })
  expect(deleted.status(), await deleted.text()).toBe(200)
})

test('table and graph show the same relationships', async ({ as }) => {
  const page = await openAsAda(as)
  await page.goto(`${tools}/relations?resourceType=document&resourceId=roadmap&depth=3`)
  const rows = page.getByRole('grid').locator('[data-index]')
  await expect(page.getByText('7 relationships, including 4 followed')).toBeVisible()
  const pairs = await rows.evaluateAll((all) =>
    all.map((row) => {
      const objectAt = (column: number) =>
        row.querySelector(`[aria-colindex="${column}"]`)?.getAttribute('title')?.replace(/#.*/, '')
      return `${objectAt(2)} ${objectAt(4)}`
    }),
  )
  await page.getByRole('button', { name: 'Graph' }).click()
  await expect(page.locator('.react-flow__edge')).toHaveCount(new Set(pairs).size)
  const edges = await page
    .locator('.react-flow__edge')
    .evaluateAll((all) => all.map((edge) => edge.getAttribute('data-id') ?? ''))
  expect(edges.toSorted()).toEqual([...new Set(pairs)].toSorted())
})

test('graph and table can be navigated by keyboard only', async ({ as }) => {
  const page = await openAsAda(as)
  await page.goto(`${tools}/relations?view=graph&resourceType=document&resourceId=roadmap`)
  const roadmap = page.locator('[data-object="document:roadmap"]')
  await roadmap.focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.locator('[data-object]:focus')).not.toHaveAttribute('data-object', 'document:roadmap')
  await page.keyboard.press('ArrowLeft')
  await expect(roadmap).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'document' })).toBeVisible()
  await page.getByRole('button', { name: 'Table' }).click()
  await page.locator('[data-index="0"]').focus()
  await page.keyboard.press('End')
  await expect(page.locator('[data-index]:focus')).toHaveAttribute('data-index', '2')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Relationship' })).toContainText('document:roadmap#reviewer')
})

test('deletes a relationship after a preview of its effect, and restores it', async ({ as }) => {
  const page = await openAsAda(as)
  const text = 'group:staff#member@group:engineering#member'
  await page.goto(`${tools}/relations?resourceType=group&resourceId=staff&at=${encodeURIComponent(text)}`)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await expect(page.getByText('1 subject loses view on folder:company')).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText('2 relationships', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('3 relationships', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'History' }).click()
  const newest = page.getByRole('listitem').filter({ hasText: text }).first()
  await expect(newest).toContainText(/^Added.*by Ada Lovelace/)
  await expect(page.getByRole('listitem').filter({ hasText: 'Deleted' }).first()).toContainText(text)
})

test('selects several relationships by keyboard, deletes them together, and restores them', async ({ as }) => {
  const page = await openAsAda(as)
  await page.goto(`${tools}/relations?resourceType=group&relation=member`)
  await expect(page.getByText('4 relationships', { exact: true })).toBeVisible()
  await page.locator('[data-index="0"]').focus()
  await page.keyboard.press('x')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('x')
  await expect(page.getByText('2 relationships selected')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete 2 relationships?' })
  await expect(dialog.getByText(/subjects? loses? view on \d resources? of type document/)).toBeVisible()
  await dialog.getByText('Details').click()
  await expect(dialog.getByText(/view on document:roadmap/)).toBeVisible()
  // That document is public.
  await expect(dialog.getByText(/view on document:handbook/)).toBeHidden()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('2 relationships', { exact: true })).toBeVisible()
  await expect(page.getByRole('toolbar')).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('4 relationships', { exact: true })).toBeVisible()
})

test('scrolls 10,000 relationships without blanks, and opens a graph of 500 objects within a second', async ({
  as,
}) => {
  test.setTimeout(180_000)
  const page = await openAsAda(as)
  const lines = [
    ...Array.from(
      { length: 10_000 },
      (_, index) => `folder:many${String(index).padStart(5, '0')}#viewer@user:u${index % 300}`,
    ),
    ...Array.from({ length: 440 }, (_, index) => `group:many${index % 60}#member@user:v${index}`),
  ]
  await importYaml(page, `relationships: |-\n${lines.map((line) => `  ${line}`).join('\n')}\n`)

  await page.goto(`${tools}/relations?resourceType=folder&resourceIdPrefix=many`)
  const grid = page.getByRole('grid')
  await expect(async () => {
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect(page.getByText('10,000 relationships')).toBeVisible({ timeout: 200 })
  }).toPass({ timeout: 60_000, intervals: [100] })
  await grid.evaluate((element) => element.scrollTo(0, 0))
  await grid.hover()
  const blankFrames = grid.evaluate(blanksWhileScrolling)
  for (let wheel = 0; wheel < 60; wheel++) await page.mouse.wheel(0, 1200)
  expect(await blankFrames).toBe(0)
  expect(await page.locator('*').count()).toBeLessThanOrEqual(900)

  await page.goto(`${tools}/relations?resourceType=group&resourceIdPrefix=many`)
  await expect(page.getByText('440 relationships')).toBeVisible()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskSeconds = async () =>
    (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  const secondsBefore = await taskSeconds()
  await page.getByRole('button', { name: 'Graph' }).click()
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(page.locator('[data-object]')).toHaveCount(500)
  await expect(page.locator('.react-flow__edge')).toHaveCount(440)
  expect((await taskSeconds()) - secondsBefore).toBeLessThan(1)
})

/** Samples the rows in each frame for two seconds and counts the frames with a gap. */
async function blanksWhileScrolling(grid: Element): Promise<number> {
  const end = performance.now() + 2000
  let blanks = 0
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame)
    const { top, bottom } = grid.getBoundingClientRect()
    const visibleRows = [...grid.querySelectorAll('[data-index]')]
      .map((row) => row.getBoundingClientRect())
      .filter((row) => row.bottom > top && row.top < bottom)
    const covered = visibleRows.reduce((sum, row) => sum + Math.min(row.bottom, bottom) - Math.max(row.top, top), 0)
    if (covered < bottom - top - 40) blanks++
  }
  return blanks
}

test('shows users the reasons for their access', async ({ as }) => {
  const page = await as('dev')
  await page.goto('/app/account/access')
  await expect(page.getByRole('listitem').filter({ hasText: 'Passport.Developer' })).toContainText('Added')
})

/** Returns the sample with an additional project led by a user. */
const withProject = (userId: string) =>
  sample
    .replace(
      /^schema:.*\n/m,
      '$&  definition project {\n    relation lead: passport/user\n    permission read = lead\n  }\n\n',
    )
    .replace(/^relationships:.*\n/m, `$&  project:apollo#lead@passport/user:${userId}\n`)

const fetchUserId = async (page: Page) => {
  const { claims } = (await (await page.request.get('/passport/apphelper/user')).json()) as { claims: { sub: string } }
  return claims.sub
}

test('shows users and their administrators the same path to a permission', async ({ as }) => {
  const ownPage = await as('dev')
  const id = await fetchUserId(ownPage)
  const page = await openAsAda(as)
  await importYaml(page, withProject(id))

  await ownPage.goto('/app/account/access')
  await page.goto(`/app/admin/users/${id}/access`)
  for (const userPage of [ownPage, page]) {
    const region = userPage.getByRole('region', { name: /^project/i })
    await region
      .getByRole('button', { name: /^Allowed: .*project:apollo$/ })
      .first()
      .click()
    await expect(region.locator('ol')).toHaveText(/^[^:]+lead of apollo$/)
    await expectAccessible(userPage)
    await userPage.setViewportSize(small.viewport)
    await expectNoSidewaysScroll(userPage)
  }
  const pathOf = (userPage: Page) =>
    userPage
      .getByRole('region', { name: /^project/i })
      .locator('ol')
      .textContent()
  expect(await pathOf(ownPage)).toBe(await pathOf(page))

  await page.request.post('/passport/admin/tools/permissions/relationships/delete', {
    headers: { ...headers, 'content-type': 'application/json' },
    data: { filter: { resourceType: 'project' } },
  })
  await importYaml(page, sample)
  await ownPage.reload()
  await expect(ownPage.getByRole('region', { name: /^project/i })).toHaveCount(0)
  await expect(ownPage.getByText('You have no permissions in any app yet.')).toBeVisible()
})
