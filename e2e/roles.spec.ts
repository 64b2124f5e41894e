import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './cast.ts'

/** Every test has a role of its own: the people are shared by all tests of a worker. */
const newName = () => `E2e.Role${Math.random().toString(36).slice(2, 8)}`

async function create(page: Page, name: string) {
  await page.goto('/app/admin/roles')
  await page.getByRole('link', { name: 'Create role' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Description').fill('Tries things out')
  await page.getByRole('button', { name: 'Create role' }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

async function pick(page: Page, typed: string, name: string) {
  await page.getByRole('combobox', { name: 'Give it to' }).fill(typed)
  await page.getByRole('option', { name }).click()
  await page.keyboard.press('Escape')
}
const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

test('a role is made, given after a preview, taken with Undo, and deleted', async ({ as }) => {
  const page = await as('ada')
  const name = newName()
  await create(page, name)
  await expect(page.getByText('There are no people yet')).toBeVisible()

  await pick(page, 'eve', 'Eve Moreau')
  await pick(page, 'dev pat', 'Dev Patel')
  await page.getByRole('button', { name: 'Give the role' }).click()
  const question = page.getByRole('alertdialog', { name: `Give ${name} to 2 people?` })
  await expect(question).toContainText(`2 people gain ${name}`)
  await expect(question).toContainText('Eve Moreau')
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Give the role' }).click()
  await expect(rowOf(page, 'Eve Moreau')).toContainText('Given by Ada Lovelace')
  await expect(rowOf(page, 'Dev Patel')).toBeVisible()

  await page
    .getByRole('button', { name: /Eve Moreau/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Take the role' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take the role' }).click()
  await expect(rowOf(page, 'Eve Moreau')).toBeHidden()
  const taken = page.getByRole('group').filter({ hasText: `Took ${name} from Eve Moreau` })
  await taken.getByRole('button', { name: 'Undo' }).click()
  await expect(rowOf(page, 'Eve Moreau')).toBeVisible()

  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Activity' })).toBeVisible()
  await expect(page.getByText(/made the role/).last()).toBeVisible()
  await page.getByRole('link', { name: 'Role', exact: true }).click()
  await page.getByRole('button', { name: 'Delete …' }).click()
  const last = page.getByRole('alertdialog', { name: `Delete ${name}?` })
  await expect(last).toContainText(`2 people lose ${name}`)
  await expect(last.getByRole('button', { name: 'Delete role' })).toBeDisabled()
  await last.getByLabel(`Type ${name} to confirm`).fill(name)
  await last.getByRole('button', { name: 'Delete role' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/roles$/)
  await expect(page.getByRole('link', { name: 'Passport.Admin' })).toBeVisible()
  await expect(page.getByRole('link', { name })).toBeHidden()
})

test('a name that cannot be one, or is taken, is refused at its field', async ({ as, complaints }) => {
  const page = await as('ada')
  await page.goto('/app/admin/roles/create')
  await page.getByLabel('Name').fill('no capital')
  await page.getByLabel('Description').fill('d')
  await page.getByRole('button', { name: 'Create role' }).click()
  await expect(page.getByLabel('Name')).toBeFocused()
  await expect(page.getByText(/Is made of letters and digits/)).toBeVisible()
  await page.getByLabel('Name').fill('Passport.Admin')
  await page.getByRole('button', { name: 'Create role' }).click()
  await expect(page.getByText('There is such a role.')).toBeVisible()
  await expectAccessible(page)
  complaints.length = 0
})

test('nobody gives up their own administration by accident', async ({ as, complaints }) => {
  const page = await as('max')
  await page.goto('/app/admin/roles/Passport.Admin')
  await expect(page.getByText('Built in: it cannot be deleted')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete …' })).toBeHidden()
  await page
    .getByRole('button', { name: /Actions for (?!Ada)/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Take the role' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take the role' }).click()
  const warned = page.getByRole('alertdialog', { name: 'Give up your own administration?' })
  await warned.getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await expect(page.getByRole('button', { name: /Actions for (?!Ada)/ })).toBeVisible()
  complaints.length = 0
})
