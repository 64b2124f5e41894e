import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './cast.ts'

const tools = '/passport/admin/tools/permissions'
const sample = readFileSync(new URL('../permissions/sample.yaml', import.meta.url), 'utf8')
const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

/** As it is before anyone has defined anything; others may have tried the sample on this Passport. */
async function empty(page: Page) {
  const { definitions } = (await (await page.request.get(`${tools}/schema`)).json()) as {
    definitions: { name: string }[]
  }
  const own = definitions.map(({ name }) => name).filter((name) => !name.startsWith('passport/'))
  for (const resourceType of own)
    await page.request.post(`${tools}/relationships/delete`, { headers, data: { filter: { resourceType } } })
  if (own.length > 0) await page.request.put(`${tools}/schema`, { headers, data: { text: '' } })
}

/** Opens a page on a Passport with nothing but the sample. */
async function withSample(page: Page, path = '/app/admin/tools/permissions') {
  await empty(page)
  const plain = { ...headers, 'content-type': 'text/plain' }
  const taken = await page.request.post(`${tools}/import`, { headers: plain, data: sample })
  expect(taken.status(), await taken.text()).toBe(200)
  await page.goto(path)
}

async function expectAccessibleAndFits(page: Page) {
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 900 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
}

const stamp = (page: Page, word: 'Allowed' | 'Denied' | 'Depends') =>
  page.getByRole('region', { name: 'Answer' }).getByText(word, { exact: true })
const check = (question: string) => `/app/admin/tools/permissions/check?${question}`

test.describe.configure({ mode: 'serial' })

test('someone new finds out why ada can see the roadmap and eve cannot, mends it, sees it in the audit and takes it back', async ({
  as,
}) => {
  const page = await as('ada')
  await empty(page)
  await page.goto('/app/admin/tools/permissions')
  await page.getByRole('button', { name: 'Load the sample' }).click()
  await expect(page.getByText(/The sample is here: a schema and 16 relationships/)).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('All 10 hold')).toBeVisible()
  await expectAccessibleAndFits(page)

  await page.getByRole('link', { name: 'Permission Checker' }).click()
  await expect(page).toHaveTitle(/^Permission Checker/)
  await page.getByRole('combobox', { name: 'Subject: id' }).fill('ad')
  await page.getByRole('option', { name: 'ada' }).click()
  await page.getByRole('combobox', { name: 'Resource: id' }).fill('road')
  await page.getByRole('option', { name: 'roadmap' }).click()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(stamp(page, 'Allowed')).toBeVisible()
  await expect(page.getByRole('link', { name: 'group:engineering#member@user:ada' }).first()).toBeVisible()

  await page.getByRole('combobox', { name: 'Subject: id' }).fill('eve')
  await page.keyboard.press('Enter')
  await expect(stamp(page, 'Denied')).toBeVisible()
  await expect(page).toHaveURL(/subject=user(:|%3A)eve/)
  await page.getByRole('button', { name: /^Show \d+ more$/ }).click()
  await page.getByRole('button', { name: 'Add group:staff#member@user:eve' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Add it' }).click()
  await expect(stamp(page, 'Allowed')).toBeVisible()

  await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click()
  await expect(page.getByText('wrote relationships: 1').first()).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone')).toBeVisible()
  await page.goBack()
  await expect(stamp(page, 'Denied')).toBeVisible()
  await page.reload()
  await expect(stamp(page, 'Denied')).toBeVisible()
})

test('a question is put together by keyboard alone, and its link opens the same answer', async ({ as }) => {
  const page = await as('ada')
  await withSample(page, check(''))
  await page.getByRole('combobox', { name: 'Subject: id' }).focus()
  await page.keyboard.type('de')
  await expect(page.getByRole('option', { name: 'dev' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Subject: id' })).toHaveValue('dev')
  await page.getByRole('combobox', { name: 'Resource: id' }).focus()
  await page.keyboard.type('payroll')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(stamp(page, 'Depends')).toBeVisible()
  await page.getByLabel('hour (int)').focus()
  await page.keyboard.type('10')
  await page.keyboard.press('Enter')
  await expect(stamp(page, 'Allowed')).toBeVisible()
  const other = await as('max')
  await other.goto(page.url())
  await expect(stamp(other, 'Allowed')).toBeVisible()
  await page.goBack()
  await expect(stamp(page, 'Depends')).toBeVisible()
})

test('a schema is saved after its effect was seen, and not while relationships stand on what it removes', async ({
  as,
}) => {
  const page = await as('ada')
  await withSample(page)
  await page.getByRole('button', { name: 'Edit' }).click()
  const area = page.getByRole('textbox', { name: 'Schema' })
  const text = await area.inputValue()
  await area.fill(text.replace('relation reviewer: user', 'relation reviewer user'))
  await expect(page.getByText(/Expected `:`, but found `user`/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Review changes' })).toBeDisabled()
  await expectAccessibleAndFits(page)

  await area.fill(text.replace('| user:* |', '|'))
  await page.getByRole('button', { name: 'Review changes' }).click()
  const review = page.getByRole('dialog', { name: 'What this changes' })
  await expect(review.getByText('1 relationship stands in its way.')).toBeVisible()
  await expect(review.getByRole('button', { name: 'Save the schema' })).toBeDisabled()
  await expectAccessible(page)
  await review.getByRole('button', { name: 'Keep editing' }).click()

  await area.fill(text.replace('owner + editor & reviewer - banned', 'owner & reviewer - banned'))
  await page.getByRole('button', { name: 'Review changes' }).click()
  await expect(review.getByText('document#publish').first()).toBeVisible()
  await review.getByRole('button', { name: 'Save the schema' }).click()
  await expect(page.getByText('read as (owner & reviewer) - banned')).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('1 of 10 does not hold')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('read as ((owner + editor) & reviewer) - banned')).toBeVisible()
})

test('what would be is asked without saving it, told apart from what is, and saved once that is confirmed', async ({
  as,
}) => {
  const page = await as('ada')
  await withSample(page, check('subject=user:eve&permission=view&resource=document:roadmap'))
  await expect(stamp(page, 'Denied')).toBeVisible()
  await page.getByRole('button', { name: /^Show \d+ more$/ }).click()
  await page.getByRole('button', { name: 'Suppose group:staff#member@user:eve' }).click()
  await expect(stamp(page, 'Allowed')).toBeVisible()
  const bar = page.getByRole('region', { name: 'Supposed' })
  await expect(bar).toContainText('1 relationship more. Nothing of it is saved.')
  await expect(page.getByText('supposed', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Suppose document:roadmap#banned@user:eve' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add document:roadmap#banned@user:eve' })).toBeHidden()
  await expectAccessible(page)
  await page.goto('/app/admin/tools/permissions/lookupSubjects?resource=document:roadmap&permission=view')
  const people = page.getByRole('region', { name: 'user', exact: true }).getByRole('listitem')
  await expect(people.filter({ hasText: 'user:eve' })).toContainText('Gained if so')
  await expect(people.filter({ hasText: 'user:ada' })).toContainText('Unchanged')
  await expectAccessible(page)

  await bar.getByRole('link', { name: 'Change or save' }).click()
  await page.getByLabel('These were gone').fill('document:roadmap#editor@group')
  await page.getByRole('button', { name: 'Suppose this' }).click()
  await expect(page.getByText(/^Line 1: A relationship is written as/)).toBeVisible()
  await page.getByLabel('These were gone').fill('group:engineering#member@user:ada')
  await page.getByRole('button', { name: 'Suppose this' }).click()
  await expect(bar).toContainText('1 relationship more, 1 relationship less')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('All 10 hold')).toBeVisible()
  await bar.getByRole('button', { name: 'Save …' }).click()
  const save = page.getByRole('dialog', { name: 'Save what is supposed?' })
  await expect(save.getByText(/1 subject loses edit on 1 of type document/)).toBeVisible()
  await expectAccessible(page)
  await save.getByRole('button', { name: 'Save the relationships' }).click()
  await expect(page.getByText('What was supposed is saved')).toBeVisible()
  await expect(bar).toBeHidden()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText(/of 10 do not hold/)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone')).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('All 10 hold')).toBeVisible()
})

test('questions are asked under a schema that is not saved', async ({ as }) => {
  const page = await as('ada')
  await withSample(page)
  await page.getByRole('button', { name: 'Edit' }).click()
  const area = page.getByRole('textbox', { name: 'Schema' })
  const text = await area.inputValue()
  const wished = text.replace('permission edit =', 'permission review = reviewer\n  permission edit =')
  await area.fill(wished)
  await page.getByRole('button', { name: 'Suppose it' }).click()
  const bar = page.getByRole('region', { name: 'Supposed' })
  await expect(bar).toContainText('another schema')
  await page.goto(check('subject=user:ada&permission=review&resource=document:roadmap'))
  await expect(stamp(page, 'Allowed')).toBeVisible()
  await expect(page.getByRole('link', { name: 'review', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByText('document:roadmap#reviewer').first()).toBeVisible()
  await bar.getByRole('link', { name: 'Change or save' }).click()
  await bar.getByRole('button', { name: 'Suppose nothing' }).click()
  await expect(bar).toBeHidden()
  await expect(page.getByText('permission review')).toBeHidden()
})

test('who is in a permission is shown as a tree, whose sets open', async ({ as }) => {
  const page = await as('ada')
  await withSample(page, check('subject=user:ada&permission=view&resource=document:roadmap'))
  const card = page.getByRole('region', { name: 'Who is in this' })
  await card.getByRole('button', { name: 'Show' }).click()
  await card.getByRole('button', { name: 'group:engineering#member' }).click()
  await expect(card.getByText('user:ada').last()).toBeVisible()
  await expectAccessible(page)
  await page.goto(check('subject=user:dev&permission=view&resource=document:payroll'))
  await expect(page.getByText(/holds if hour >= 9 && hour < 17/)).toBeVisible()
})

test('what is exported is taken in again', async ({ as }) => {
  const page = await as('ada')
  await withSample(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export YAML' }).click()
  const file = await (await downloading).path()
  await empty(page)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Load the sample' })).toBeVisible()
  await page.getByLabel('Validation file to import').setInputFiles(file)
  const preview = page.getByRole('dialog', { name: 'What this file brings' })
  await expect(preview.getByText(/^16 relationships and 10 assertions\./)).toBeVisible()
  await preview.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('Imported 16 relationships')).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('All 10 hold')).toBeVisible()
})

test('people are found by their names in the directory, whose own relationships are changed there', async ({ as }) => {
  const page = await as('ada')
  await page.goto(check(''))
  await page.getByRole('combobox', { name: 'Subject: type' }).selectOption('passport/user')
  await page.getByRole('combobox', { name: 'Subject: id' }).fill('lovel')
  await page.getByRole('option', { name: /Ada Lovelace/ }).click()
  await expect(page.getByRole('group', { name: 'Subject' })).toContainText('Ada Lovelace')
  await page.getByRole('combobox', { name: 'Resource: type' }).selectOption('passport/role')
  await page.getByRole('combobox', { name: 'Resource: id' }).fill('Passport.Adm')
  await page.getByRole('option', { name: /Passport\.Admin/ }).click()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(stamp(page, 'Allowed')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Answer' })).toContainText(/Ada Lovelace.* has member on/)
  await expect(page.getByText('Kept by the directory, and changed there.').first()).toBeVisible()
})

test('long ids break within their cards, and the types of the directory are read in full', async ({ as }) => {
  const page = await as('ada')
  await withSample(page)
  const [subject, resource] = [`user:${'m'.repeat(120)}`, `document:${'L'.repeat(200)}`]
  const question = `subject=${subject}&permission=view&resource=${resource}`
  await page.goto(check(question))
  await expect(page.getByRole('heading', { name: 'All permissions' })).toBeVisible()
  await expectNoSidewaysScroll(page)
  for (const lookup of ['lookupResources', 'lookupSubjects']) {
    await page.goto(`/app/admin/tools/permissions/${lookup}?${question}`)
    await expect(page.getByText(/^Nothing of:/)).toBeVisible()
    await expectNoSidewaysScroll(page)
  }
  await page.goto(check('subject=passport/user:a&permission=member&resource=passport/group:b'))
  const type = page.getByRole('combobox', { name: 'Resource: type' })
  const text = await type.evaluate((select) => {
    const drawing = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
    drawing.font = getComputedStyle(select).font
    const { paddingLeft, paddingRight } = getComputedStyle(select)
    const room = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    return { room, width: drawing.measureText('passport/group').width }
  })
  expect(text.room).toBeGreaterThanOrEqual(text.width)
})

test('a relationship that takes the place of one with a condition says so, and Undo puts the condition back', async ({
  as,
}) => {
  const page = await as('ada')
  await withSample(page, check('subject=user:dev&permission=view&resource=document:payroll'))
  await expect(stamp(page, 'Depends')).toBeVisible()
  // It comes after those that take no place.
  await page
    .getByRole('region', { name: 'Then allowed' })
    .getByRole('button', { name: /^Show \d+ more$/ })
    .click()
  await page.getByRole('button', { name: 'Add document:payroll#viewer@user:dev', exact: true }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('It takes the place of document:payroll#viewer@user:dev[office_hours:')
  await dialog.getByRole('button', { name: 'Add it' }).click()
  await expect(stamp(page, 'Allowed')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(stamp(page, 'Depends')).toBeVisible()
  await expect(page.getByRole('region', { name: 'What would settle it' })).toBeFocused()
})
