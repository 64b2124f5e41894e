import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './cast.ts'

const tools = '/app/admin/tools'
const headers = { 'content-type': 'text/plain', 'sec-fetch-site': 'same-origin' }
const sample = readFileSync(new URL('../permissions/sample.yaml', import.meta.url), 'utf8')

async function takeIn(page: Page, yaml: string) {
  const taken = await page.request.post('/passport/admin/tools/permissions/import', { headers, data: yaml })
  expect(taken.status(), await taken.text()).toBe(200)
}

/** The tests of a worker share the relationships; each leaves the sample as it found it. */
async function asAda(as: (who: 'ada', options?: object) => Promise<Page>, options = {}) {
  const page = await as('ada', options)
  await takeIn(page, sample)
  return page
}

const small = { viewport: { width: 390, height: 844 } }

test('what somebody can access is told with its path, and compared', async ({ as }) => {
  const page = await asAda(as)
  await page.goto(`${tools}/permissions/lookupResources`)
  await page.getByLabel('Subject: id').fill('ada')
  await page.getByLabel('Permission', { exact: true }).selectOption('view')
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(page).toHaveURL(/lookupResources\?subject=user%3Aada&permission=view$/)
  const documents = page.getByRole('region', { name: 'document · view' })
  await documents.getByRole('button', { name: 'Why document:handbook' }).click()
  await expect(documents.getByRole('link', { name: 'viewer' })).toHaveAttribute('href', /resourceId=/)
  await page.getByRole('button', { name: 'Compare with another subject' }).click()
  await page.getByLabel('Other subject: id').fill('mia')
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(documents.getByRole('listitem').filter({ hasText: 'document:payroll' })).toContainText('Only user:mia')
})

test('what somebody can access is compared with how it was before a change', async ({ as }) => {
  const page = await asAda(as)
  await takeIn(page, 'relationships: |-\n  document:payroll#viewer@group:engineering#member\n')
  await page.goto(`${tools}/permissions/lookupResources?subject=user:ada&type=document&permission=view`)
  await page.getByRole('button', { name: 'Compare with earlier' }).click()
  const before = page.getByRole('combobox', { name: 'Earlier moment' })
  const added = before.locator('option', { hasText: 'before: Added document:payroll#viewer@group:engineering' }).first()
  await before.selectOption((await added.getAttribute('value')) ?? '')
  await page.getByRole('button', { name: 'Look up' }).click()
  const rows = page.getByRole('region', { name: 'document · view' }).getByRole('listitem')
  await expect(rows.filter({ hasText: 'document:payroll' })).toContainText('Gained since')
  await expect(rows.filter({ hasText: 'document:roadmap' })).toContainText('Unchanged')
  await expectAccessible(page)
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
  const relationship = {
    resource: { type: 'document', id: 'payroll' },
    relation: 'viewer',
    subject: { type: 'group', id: 'engineering', relation: 'member' },
  }
  const data = { updates: [{ operation: 'delete', relationship }] }
  await page.request.post('/passport/admin/tools/permissions/relationships', { headers, data })
  const other = page.getByRole('combobox', { name: 'Earlier moment' })
  await page.reload()
  const removed = other
    .locator('option', { hasText: 'before: Removed document:payroll#viewer@group:engineering' })
    .first()
  await other.selectOption((await removed.getAttribute('value')) ?? '')
  await page.getByRole('button', { name: 'Look up' }).click()
  await expect(rows.filter({ hasText: 'document:payroll' })).toContainText('Lost since')
  await rows.filter({ hasText: 'document:payroll' }).getByRole('button', { name: 'Why document:payroll' }).click()
  await expect(rows.filter({ hasText: 'document:payroll' }).getByRole('link', { name: 'member' })).toBeVisible()
})

test('thousands that somebody can access are read by scrolling, stand in few elements, and are saved whole', async ({
  as,
}) => {
  const page = await asAda(as)
  const lines = Array.from({ length: 2600 }, (_, at) => `  document:many${at}#viewer@user:reader\n`)
  await takeIn(page, `relationships: |-\n${lines.join('')}`)
  await page.goto(`${tools}/permissions/lookupResources?subject=user:reader&permission=view`)
  const documents = page.getByRole('region', { name: 'document · view' })
  await expect(documents.getByText('1,000+')).toBeVisible()
  await expect(page.getByText('Nothing of: folder · view')).toBeVisible()
  await expectAccessible(page)

  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'CSV of all' }).click()
  const saved = readFileSync(await (await downloading).path(), 'utf8').split('\r\n')
  expect(saved.filter((line) => line.startsWith('document,many')).length).toBe(2600)

  await documents.getByRole('button', { name: /^Why/ }).first().focus()
  // Each page of 1,000 is read once the end of those before is in view; everyone may view the handbook, too.
  for (const count of ['2,000+', '2,601']) {
    await page.keyboard.press('End')
    await expect(documents.getByText(count, { exact: true })).toBeVisible()
  }
  await expect(documents.getByText('so far')).toHaveCount(0)
  await page.keyboard.press('End')
  const last = documents.getByRole('button', { name: 'Why document:many999' })
  await expect(last).toBeFocused()
  await expect(documents.getByRole('button', { name: /^Why/ }).and(page.locator('[tabindex="0"]'))).toHaveCount(1)
  expect(await page.locator('*').count()).toBeLessThan(800)
  await last.click()
  await expect(documents.getByRole('link', { name: 'Whole reason' })).toBeInViewport()
  const deleted = await page.request.post('/passport/admin/tools/permissions/relationships/delete', {
    headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
    data: { filter: { subjectType: 'user', subjectId: 'reader' } },
  })
  expect(deleted.status(), await deleted.text()).toBe(200)
})

test('the table, the tree and the graph have the same relationships', async ({ as }) => {
  const page = await asAda(as)
  await page.goto(`${tools}/relations?resourceType=document&resourceId=roadmap&depth=3`)
  const rows = page.getByRole('grid').locator('[data-index]')
  await expect(page.getByText('7 relationships, 4 of them followed')).toBeVisible()
  const pairs = await rows.evaluateAll((all) =>
    all.map((row) => {
      const objectIn = (column: number) =>
        row.querySelector(`[aria-colindex="${column}"]`)?.getAttribute('title')?.replace(/#.*/, '')
      return `${objectIn(2)} ${objectIn(4)}`
    }),
  )
  await page.getByRole('button', { name: 'Graph' }).click()
  await expect(page.locator('.react-flow__edge')).toHaveCount(new Set(pairs).size)
  const edges = await page
    .locator('.react-flow__edge')
    .evaluateAll((all) => all.map((edge) => edge.getAttribute('data-id') ?? ''))
  expect(edges.toSorted()).toEqual([...new Set(pairs)].toSorted())
  await page.getByRole('button', { name: 'Tree' }).click()
  await expect(page.getByRole('treeitem', { name: 'group:engineering#member' })).toBeVisible()
})

test('the graph and the table are walked with the keys alone', async ({ as }) => {
  const page = await asAda(as)
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

test('a relationship is deleted once its effect is known, and put back', async ({ as }) => {
  const page = await asAda(as)
  const text = 'group:staff#member@group:engineering#member'
  await page.goto(`${tools}/relations?resourceType=group&resourceId=staff&at=${encodeURIComponent(text)}`)
  await page.getByRole('button', { name: 'Delete …' }).click()
  await expect(page.getByText('1 subject loses view on folder:company')).toBeVisible()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByText('2 relationships', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('3 relationships', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'History' }).click()
  const newest = page.getByRole('listitem').filter({ hasText: text }).first()
  await expect(newest).toContainText(/^Added.*by Ada Lovelace/)
  await expect(page.getByRole('listitem').filter({ hasText: 'Removed' }).first()).toContainText(text)
})

test('several relationships are chosen by keyboard, deleted together, and put back', async ({ as }) => {
  const page = await asAda(as)
  await page.goto(`${tools}/relations?resourceType=group&relation=member`)
  await expect(page.getByText('4 relationships', { exact: true })).toBeVisible()
  await page.locator('[data-index="0"]').focus()
  await page.keyboard.press('x')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('x')
  await expect(page.getByText('2 relationships selected')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete …' }).click()
  const dialog = page.getByRole('alertdialog', { name: 'Delete 2 relationships?' })
  await expect(dialog.getByText(/subjects? loses? view on \d of type document/)).toBeVisible()
  await dialog.getByText('One by one').click()
  await expect(dialog.getByText(/view on document:roadmap/)).toBeVisible()
  // Everyone may view that one.
  await expect(dialog.getByText(/view on document:handbook/)).toBeHidden()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('2 relationships', { exact: true })).toBeVisible()
  await expect(page.getByRole('toolbar')).toBeHidden()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('4 relationships', { exact: true })).toBeVisible()
})

test('ten thousand relationships scroll without a blank, and a graph of 500 objects opens within a second', async ({
  as,
}) => {
  test.setTimeout(180_000)
  const page = await asAda(as)
  const lines = [
    ...Array.from({ length: 10_000 }, (_, at) => `folder:many${String(at).padStart(5, '0')}#viewer@user:u${at % 300}`),
    ...Array.from({ length: 440 }, (_, at) => `group:many${at % 60}#member@user:v${at}`),
  ]
  await takeIn(page, `relationships: |-\n${lines.map((line) => `  ${line}`).join('\n')}\n`)

  await page.goto(`${tools}/relations?resourceType=folder&resourceIdPrefix=many`)
  const grid = page.getByRole('grid')
  await expect(async () => {
    await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
    await expect(page.getByText('10,000 relationships')).toBeVisible({ timeout: 200 })
  }).toPass({ timeout: 60_000, intervals: [100] })
  await grid.evaluate((element) => element.scrollTo(0, 0))
  await grid.hover()
  const watched = grid.evaluate(blanksWhileScrolling)
  for (let wheel = 0; wheel < 60; wheel++) await page.mouse.wheel(0, 1200)
  expect(await watched).toBe(0)
  expect(await page.locator('*').count()).toBeLessThanOrEqual(800)

  await page.goto(`${tools}/relations?resourceType=group&resourceIdPrefix=many`)
  await expect(page.getByText('440 relationships')).toBeVisible()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const worked = async () =>
    (await devtools.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  const before = await worked()
  await page.getByRole('button', { name: 'Graph' }).click()
  await expect(page.locator('[data-object]')).toHaveCount(500)
  await expect(page.locator('.react-flow__edge')).toHaveCount(440)
  expect((await worked()) - before).toBeLessThan(1)
})

/** Looks at the rows in each frame for two seconds; counts the frames in which some of the window had none. */
async function blanksWhileScrolling(grid: Element): Promise<number> {
  const end = performance.now() + 2000
  let blanks = 0
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame)
    const { top, bottom } = grid.getBoundingClientRect()
    const seen = [...grid.querySelectorAll('[data-index]')]
      .map((row) => row.getBoundingClientRect())
      .filter((row) => row.bottom > top && row.top < bottom)
    const covered = seen.reduce((sum, row) => sum + Math.min(row.bottom, bottom) - Math.max(row.top, top), 0)
    if (covered < bottom - top - 40) blanks++
  }
  return blanks
}

test('people are told why they have what they have', async ({ as }) => {
  const page = await as('dev')
  await page.goto('/app/account/access')
  await expect(page.getByRole('listitem').filter({ hasText: 'Passport.Developer' })).toContainText('given')
})

/** The sample, and a project besides that a person leads. */
const withProject = (personId: string) =>
  sample
    .replace(
      /^schema:.*\n/m,
      '$&  definition project {\n    relation lead: passport/user\n    permission read = lead\n  }\n\n',
    )
    .replace(/^relationships:.*\n/m, `$&  project:apollo#lead@passport/user:${personId}\n`)

const idOf = async (page: Page) => {
  const { claims } = (await (await page.request.get('/passport/apphelper/user')).json()) as { claims: { sub: string } }
  return claims.sub
}

test('people and their administrators are told by which relationships they have the same permission', async ({
  as,
}) => {
  const own = await as('dev')
  const id = await idOf(own)
  const page = await asAda(as)
  await takeIn(page, withProject(id))

  await own.goto('/app/account/access')
  await page.goto(`/app/admin/users/${id}/access`)
  await page.getByRole('button', { name: 'Show permissions' }).click()
  for (const shown of [own, page]) {
    const read = shown.getByRole('region', { name: 'project · read' })
    await read.getByRole('button', { name: 'Why project:apollo' }).click()
    await expect(read.locator('ol')).toHaveText(/^[^:]+lead of project:apollo$/)
    await expectAccessible(shown)
    await shown.setViewportSize(small.viewport)
    await expectNoSidewaysScroll(shown)
  }
  const pathOf = (shown: Page) => shown.getByRole('region', { name: 'project · read' }).locator('ol').textContent()
  expect(await pathOf(own)).toBe(await pathOf(page))

  await page.request.post('/passport/admin/tools/permissions/relationships/delete', {
    headers: { ...headers, 'content-type': 'application/json' },
    data: { filter: { resourceType: 'project' } },
  })
  await takeIn(page, sample)
  await own.reload()
  await expect(own.getByRole('region', { name: 'project · read' })).toHaveCount(0)
  await expect(own.getByText('No application lets you do anything yet.')).toBeVisible()
})
