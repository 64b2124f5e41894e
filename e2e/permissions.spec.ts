import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const tools = '/passport/admin/tools/permissions'
const sample = readFileSync(new URL('../permissions/sample.yaml', import.meta.url), 'utf8')
const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

/** Removes all schemas and relationships; other tests may have loaded the sample into this Passport. */
async function removeAll(page: Page) {
  const { definitions } = (await (await page.request.get(`${tools}/schema`)).json()) as {
    definitions: { name: string }[]
  }
  const ownTypes = definitions.map(({ name }) => name).filter((name) => !name.startsWith('passport/'))
  for (const resourceType of ownTypes)
    await page.request.post(`${tools}/relationships/delete`, { headers, data: { filter: { resourceType } } })
  if (ownTypes.length > 0) await page.request.put(`${tools}/schema`, { headers, data: { text: '' } })
}

/** Opens a page of a Passport whose only schema and relationships are the sample. */
async function openWithSample(page: Page, path = '/app/admin/tools/permissions') {
  await removeAll(page)
  const textHeaders = { ...headers, 'content-type': 'text/plain' }
  const response = await page.request.post(`${tools}/import`, { headers: textHeaders, data: sample })
  expect(response.status(), await response.text()).toBe(200)
  await page.goto(path)
}

async function expectAccessibleAndFits(page: Page) {
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 900 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page)
  await page.setViewportSize({ width: 1440, height: 900 })
}

const verdict = (page: Page, word: 'Allowed' | 'Denied' | 'Depends') =>
  page.getByRole('region', { name: 'Answer' }).getByText(word, { exact: true })
const checkPath = (question: string) => `/app/admin/tools/permissions/check?${question}`

test.describe.configure({ mode: 'serial' })

test('explains why ada can view the roadmap and eve cannot, grants it, and undoes that in the audit log', async ({
  as,
}) => {
  const page = await as('ada')
  await removeAll(page)
  await page.goto('/app/admin/tools/permissions')
  await page.getByRole('button', { name: 'Load sample' }).click()
  await expect(page.getByText(/Sample loaded: a schema and 16 relationships/)).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('10 passed')).toBeVisible()
  await expectAccessibleAndFits(page)

  await page.getByRole('navigation').getByRole('link', { name: 'Permission checker', exact: true }).click()
  await expect(page).toHaveTitle(/^Permission Checker/)
  await page.getByRole('combobox', { name: 'Subject ID' }).fill('ad')
  await page.getByRole('option', { name: 'ada' }).click()
  await page.getByRole('combobox', { name: 'Resource ID' }).fill('road')
  await page.getByRole('option', { name: 'roadmap' }).click()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(verdict(page, 'Allowed')).toBeVisible()
  const path = page.getByRole('list', { name: 'Path 1' })
  await expect(path.getByRole('link', { name: 'member' })).toBeVisible()
  await expect(path.getByTitle('group:engineering')).toBeVisible()

  await page.getByRole('combobox', { name: 'Subject ID' }).fill('eve')
  await page.keyboard.press('Enter')
  await expect(verdict(page, 'Denied')).toBeVisible()
  await expect(page).toHaveURL(/subject=user(:|%3A)eve/)
  await page.getByRole('button', { name: /^Show \d+ more$/ }).click()
  await page.getByRole('button', { name: 'Add group:staff#member@user:eve' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Add relationship' }).click()
  await expect(verdict(page, 'Allowed')).toBeVisible()

  await page.getByRole('navigation').getByRole('link', { name: 'Audit' }).click()
  await expect(page.getByText('wrote relationships: 1').first()).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone', { exact: true })).toBeVisible()
  await page.goBack()
  await expect(verdict(page, 'Denied')).toBeVisible()
  await page.reload()
  await expect(verdict(page, 'Denied')).toBeVisible()
})

test('builds a check by keyboard only, and its link opens the same result', async ({ as }) => {
  const page = await as('ada')
  await openWithSample(page, checkPath(''))
  await page.getByRole('combobox', { name: 'Subject ID' }).focus()
  await page.keyboard.type('de')
  await expect(page.getByRole('option', { name: 'dev' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('combobox', { name: 'Subject ID' })).toHaveValue('dev')
  await page.getByRole('combobox', { name: 'Resource ID' }).focus()
  await page.keyboard.type('payroll')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Enter')
  await expect(verdict(page, 'Depends')).toBeVisible()
  await page.getByLabel('hour (int)').focus()
  await page.keyboard.type('10')
  await page.keyboard.press('Enter')
  await expect(verdict(page, 'Allowed')).toBeVisible()
  const otherPage = await as('max')
  await otherPage.goto(page.url())
  await expect(verdict(otherPage, 'Allowed')).toBeVisible()
  await page.goBack()
  await expect(verdict(page, 'Depends')).toBeVisible()
})

test('previews a schema change, and blocks it while relationships use a removed part', async ({ as }) => {
  const page = await as('ada')
  await openWithSample(page)
  await page.getByRole('button', { name: 'Edit' }).click()
  const area = page.getByRole('textbox', { name: 'Schema' })
  const text = await area.inputValue()
  await area.fill(text.replace('relation reviewer: user', 'relation reviewer user'))
  await expect(page.getByText(/Expected `:`, but found `user`/)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Review changes' })).toBeDisabled()
  await expectAccessibleAndFits(page)

  await area.fill(text.replace('| user:* |', '|'))
  await page.getByRole('button', { name: 'Review changes' }).click()
  const review = page.getByRole('dialog', { name: 'Review schema changes' })
  await expect(review.getByText('1 relationship blocks this change.')).toBeVisible()
  await expect(review.getByRole('button', { name: 'Save schema' })).toBeDisabled()
  await expectAccessible(page)
  await review.getByRole('button', { name: 'Keep editing' }).click()

  await area.fill(text.replace('owner + editor & reviewer - banned', 'owner & reviewer - banned'))
  await page.getByRole('button', { name: 'Review changes' }).click()
  await expect(review.getByText('document#publish').first()).toBeVisible()
  await review.getByRole('button', { name: 'Save schema' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  // The message stays while the pointer is over it.
  await undo.hover()
  await page.getByRole('button', { name: 'Text', exact: true }).press('Enter')
  await expect(page.getByText('read as (owner & reviewer) - banned')).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).press('Enter')
  await expect(page.getByText('1 of 10 failed')).toBeVisible()
  await undo.click()
  await expect(page.getByText('read as ((owner + editor) & reviewer) - banned')).toBeVisible()
})

test('checks a hypothetical change without saving it, marks it as such, and saves it after confirmation', async ({
  as,
}) => {
  const page = await as('ada')
  await openWithSample(page, checkPath('subject=user:eve&permission=view&resource=document:roadmap'))
  await expect(verdict(page, 'Denied')).toBeVisible()
  await page.getByRole('button', { name: /^Show \d+ more$/ }).click()
  await page.getByRole('button', { name: 'Try group:staff#member@user:eve' }).click()
  await expect(verdict(page, 'Allowed')).toBeVisible()
  const bar = page.getByRole('region', { name: 'Applied what-if changes' })
  await expect(bar).toContainText('1 relationship added. Not saved.')
  await expect(page.getByText('hypothetical', { exact: true }).first()).toBeVisible()
  await expect(page.getByRole('button', { name: 'Try document:roadmap#banned@user:eve' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add document:roadmap#banned@user:eve' })).toBeHidden()
  await expectAccessible(page)
  await page.goto('/app/admin/tools/permissions/lookupSubjects?resource=document:roadmap&permission=view')
  const people = page.getByRole('region', { name: 'User', exact: true }).getByRole('row')
  await expect(people.filter({ has: page.getByTitle('user:eve') })).toContainText('Would gain')
  await expect(people.filter({ has: page.getByTitle('user:ada') })).toContainText('Unchanged')
  await expectAccessible(page)

  await bar.getByRole('link', { name: 'Edit or save' }).click()
  await page.getByLabel('Relationships to delete').fill('document:roadmap#editor@group')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(page.getByText(/^Line 1: A relationship must have the form/)).toBeVisible()
  await page.getByLabel('Relationships to delete').fill('group:engineering#member@user:ada')
  await page.getByRole('button', { name: 'Apply' }).click()
  await expect(bar).toContainText('1 relationship added, 1 relationship deleted')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('10 passed')).toBeVisible()
  await bar.getByRole('button', { name: 'Save…' }).click()
  const save = page.getByRole('dialog', { name: 'Save these relationships?' })
  await expect(save.getByText(/1 subject loses edit on 1 resource of type document/)).toBeVisible()
  await expectAccessible(page)
  await save.getByRole('button', { name: 'Save relationships' }).click()
  await expect(page.getByText('Relationships saved')).toBeVisible()
  await expect(bar).toBeHidden()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText(/of 10 failed/)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText('Undone', { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('10 passed')).toBeVisible()
})

test('checks under an unsaved schema', async ({ as }) => {
  const page = await as('ada')
  await openWithSample(page)
  await page.getByRole('button', { name: 'Edit' }).click()
  const area = page.getByRole('textbox', { name: 'Schema' })
  const text = await area.inputValue()
  const changedSchema = text.replace('permission edit =', 'permission review = reviewer\n  permission edit =')
  await area.fill(changedSchema)
  await page.getByRole('button', { name: 'Try without saving' }).click()
  const bar = page.getByRole('region', { name: 'Applied what-if changes' })
  await expect(bar).toContainText('draft schema')
  await page.goto(checkPath('subject=user:ada&permission=review&resource=document:roadmap'))
  await expect(verdict(page, 'Allowed')).toBeVisible()
  await expect(page.getByRole('link', { name: 'review', exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Show', exact: true }).click()
  await expect(page.getByText('document:roadmap#reviewer').first()).toBeVisible()
  await bar.getByRole('link', { name: 'Edit or save' }).click()
  await bar.getByRole('button', { name: 'Clear' }).click()
  await expect(bar).toBeHidden()
  await page.getByRole('button', { name: 'Text', exact: true }).click()
  await expect(page.getByText('permission view').first()).toBeVisible()
  await expect(page.getByText('permission review')).toBeHidden()
})

test('shows the subjects of a permission as a tree with expandable usersets', async ({ as }) => {
  const page = await as('ada')
  await openWithSample(page, checkPath('subject=user:ada&permission=view&resource=document:roadmap'))
  const card = page.getByRole('region', { name: 'Permission tree' })
  await card.getByRole('button', { name: 'Show' }).click()
  await card.getByRole('button', { name: 'group:engineering#member' }).click()
  await expect(card.getByText('user:ada').last()).toBeVisible()
  await expectAccessible(page)
  await page.goto(checkPath('subject=user:dev&permission=view&resource=document:payroll'))
  await expect(page.getByText(/holds if hour >= 9 && hour < 17/)).toBeVisible()
})

test('imports its own export', async ({ as }) => {
  const page = await as('ada')
  await openWithSample(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export YAML' }).click()
  const file = await (await downloading).path()
  await removeAll(page)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Load sample' })).toBeVisible()
  await page.getByLabel('Validation file to import').setInputFiles(file)
  const preview = page.getByRole('dialog', { name: 'Import this file?' })
  await expect(preview.getByText(/^16 relationships and 10 assertions\./)).toBeVisible()
  await preview.getByRole('button', { name: 'Import' }).click()
  await expect(page.getByText('Imported 16 relationships')).toBeVisible()
  await page.getByRole('button', { name: 'Run all' }).click()
  await expect(page.getByText('10 passed')).toBeVisible()
})

test('finds users by their names, and marks their relationships as managed by the directory', async ({ as }) => {
  const page = await as('ada')
  await page.goto(checkPath(''))
  await page.getByRole('combobox', { name: 'Subject type' }).selectOption('passport/user')
  await page.getByRole('combobox', { name: 'Subject ID' }).fill('lovel')
  await page.getByRole('option', { name: /Ada Lovelace/ }).click()
  await expect(page.getByRole('group', { name: 'Subject' })).toContainText('Ada Lovelace')
  await page.getByRole('combobox', { name: 'Resource type' }).selectOption('passport/role')
  await page.getByRole('combobox', { name: 'Resource ID' }).fill('Passport.Adm')
  await page.getByRole('option', { name: /Passport\.Admin/ }).click()
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await expect(verdict(page, 'Allowed')).toBeVisible()
  await expect(page.getByRole('region', { name: 'Answer' })).toContainText(/Ada Lovelace is member of/)
  await expect(page.getByText('Managed by the directory').first()).toBeVisible()
})

test('wraps long ids within their cards, and shows the types of the directory in full', async ({ as }) => {
  const page = await as('ada')
  await openWithSample(page)
  const [subject, resource] = [`user:${'m'.repeat(120)}`, `document:${'L'.repeat(200)}`]
  const question = `subject=${subject}&permission=view&resource=${resource}`
  await page.goto(checkPath(question))
  await expect(page.getByRole('heading', { name: 'All permissions' })).toBeVisible()
  await expectNoSidewaysScroll(page)
  for (const lookup of ['lookupResources', 'lookupSubjects']) {
    await page.goto(`/app/admin/tools/permissions/${lookup}?${question}`)
    await expect(page.getByText(/^No results for:/)).toBeVisible()
    await expectNoSidewaysScroll(page)
  }
  await page.goto(checkPath('subject=passport/user:a&permission=member&resource=passport/group:b'))
  const type = page.getByRole('combobox', { name: 'Resource type' })
  await expect(type).toHaveValue('passport/group')
  const text = await type.evaluate((select: HTMLSelectElement) => {
    const canvas = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
    canvas.font = getComputedStyle(select).font
    const { paddingLeft, paddingRight } = getComputedStyle(select)
    const availableWidth = select.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight)
    return { availableWidth, width: canvas.measureText(select.selectedOptions[0]?.text ?? '').width }
  })
  expect(text.availableWidth).toBeGreaterThanOrEqual(text.width)
})

test('warns when a relationship replaces a conditional one, and Undo restores the condition', async ({ as }) => {
  const page = await as('ada')
  await openWithSample(page, checkPath('subject=user:dev&permission=view&resource=document:payroll'))
  await expect(verdict(page, 'Depends')).toBeVisible()
  // Replacements are listed after plain additions.
  await page
    .getByRole('region', { name: 'Would be allowed' })
    .getByRole('button', { name: /^Show \d+ more$/ })
    .click()
  await page.getByRole('button', { name: 'Add document:payroll#viewer@user:dev', exact: true }).click()
  const dialog = page.getByRole('alertdialog')
  await expect(dialog).toContainText('Replaces document:payroll#viewer@user:dev[office_hours:')
  await dialog.getByRole('button', { name: 'Add relationship' }).click()
  await expect(verdict(page, 'Allowed')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).press('Enter')
  await expect(verdict(page, 'Depends')).toBeVisible()
  await expect(page.getByRole('region', { name: 'What would decide it' })).toBeFocused()
})
