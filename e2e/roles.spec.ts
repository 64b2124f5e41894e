import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from './fixtures.ts'

/** Returns a unique name: each test has its own role, because the tests of a worker share the users. */
const uniqueRoleName = () => `E2e.Role${Math.random().toString(36).slice(2, 8)}`

async function createRole(page: Page, name: string) {
  await page.goto('/app/admin/roles')
  await page.getByRole('link', { name: 'Create role' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Description').fill('Tries things out')
  await page.getByRole('button', { name: 'Create role' }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

async function pickUser(page: Page, typed: string, name: string) {
  await page.getByRole('combobox', { name: 'Users' }).fill(typed)
  await page.getByRole('option', { name }).click()
}
const findRow = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })

test('creates a role, adds members after a preview, removes one with Undo, and deletes the role', async ({ as }) => {
  const page = await as('ada')
  const name = uniqueRoleName()
  await createRole(page, name)
  await expect(page.getByText(/no members yet/i)).toBeVisible()

  await page.getByRole('button', { name: 'Add members' }).click()
  await pickUser(page, 'eve', 'Eve Moreau')
  await pickUser(page, 'dev pat', 'Dev Patel')
  await page.getByRole('button', { name: 'Add 2 members' }).click()
  const confirmation = page.getByRole('alertdialog', { name: `Add 2 users to ${name}?` })
  await expect(confirmation).toContainText(`2 users gain ${name}`)
  await expect(confirmation).toContainText('Eve Moreau')
  await expectAccessible(page)
  await confirmation.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(findRow(page, 'Eve Moreau').getByTitle(/^Added by Ada Lovelace/)).toHaveText('Direct')
  await expect(findRow(page, 'Dev Patel')).toBeVisible()

  await page
    .getByRole('button', { name: /Eve Moreau/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(findRow(page, 'Eve Moreau')).toBeHidden()
  const toast = page.getByRole('group').filter({ hasText: `Eve Moreau removed from ${name}` })
  await toast.getByRole('button', { name: 'Undo' }).click()
  await expect(findRow(page, 'Eve Moreau')).toBeVisible()

  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByRole('heading', { level: 2, name: 'Activity' })).toBeVisible()
  await expect(page.getByText(/created the role/).last()).toBeVisible()
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  const deleteDialog = page.getByRole('alertdialog', { name: `Delete ${name}?` })
  await expect(deleteDialog).toContainText(`2 users lose ${name}`)
  await expect(deleteDialog.getByRole('button', { name: 'Delete role' })).toBeDisabled()
  await deleteDialog.getByLabel(`Type ${name} to confirm`).fill(name)
  await deleteDialog.getByRole('button', { name: 'Delete role' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/roles$/)
  await expect(page.getByRole('link', { name: 'Passport.Admin' })).toBeVisible()
  await expect(page.getByRole('link', { name })).toBeHidden()
})

test('reports an invalid or taken name at its field', async ({ as, consoleErrors }) => {
  const page = await as('ada')
  await page.goto('/app/admin/roles/create')
  await page.getByLabel('Name').fill('no capital')
  await page.getByLabel('Description').fill('d')
  await page.getByRole('button', { name: 'Create role' }).click()
  await expect(page.getByLabel('Name')).toBeFocused()
  await expect(page.getByText(/Must be PascalCase words/)).toBeVisible()
  await page.getByLabel('Name').fill('Passport.Admin')
  await page.getByRole('button', { name: 'Create role' }).click()
  await expect(page.getByText('A role with this name already exists.')).toBeVisible()
  await expectAccessible(page)
  consoleErrors.length = 0
})

test('warns administrators before they remove their own admin access', async ({ as, consoleErrors }) => {
  const page = await as('max')
  await page.goto('/app/admin/roles/Passport.Admin')
  await expect(page.getByText("Built-in, can't be deleted")).toBeVisible()
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await expect(page.getByRole('menuitem')).toHaveText(['Copy link', 'Copy as cURL'])
  await page.keyboard.press('Escape')
  await page
    .getByRole('button', { name: /Actions for (?!Ada)/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  const warning = page.getByRole('alertdialog', { name: 'Remove your own admin access?' })
  await warning.getByRole('button', { name: 'Cancel' }).click()
  await page.reload()
  await expect(page.getByRole('button', { name: /Actions for (?!Ada)/ })).toBeVisible()
  consoleErrors.length = 0
})
