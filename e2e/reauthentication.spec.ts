import type { Page } from '@playwright/test'
import { expect, expectAccessible, type TestUser, test } from './fixtures.ts'
import { submitForm } from './forms.ts'

const randomWord = () => Math.random().toString(36).slice(2, 8)
const headers = { 'sec-fetch-site': 'same-origin' }
const findDialog = (page: Page) => page.getByRole('alertdialog', { name: 'Confirm it’s you' })

interface Administrator {
  page: Page
  /** The name at Harbour ID. */
  name: string
}

/** Signs in an administrator whose authentication at Harbour ID is an hour old, or has no reported time. */
async function signInAdministrator(
  as: (user: TestUser) => Promise<Page>,
  fault: 'stale' | 'no-auth-time',
): Promise<Administrator> {
  const name = `Admin ${randomWord()}`
  const page = await as('stranger')
  await submitForm(page.request, '/login?idp=harbour', { name, fault })
  const { claims } = await (await page.request.get('/passport/apphelper/user')).json()
  await setRoles(await as('ada'), claims.sub, ['Passport.Admin'])
  administrators.push(claims.sub)
  return { page, name }
}

async function setRoles(ada: Page, userId: string, roles: string[]) {
  const response = await ada.request.put(`/passport/admin/users/${userId}/roles`, { headers, data: { roles } })
  expect(response.status(), await response.text()).toBe(200)
}

/** Demoted after each test, because other tests depend on the number of administrators. */
const administrators: string[] = []
test.afterEach(async ({ as }) => {
  for (const userId of administrators.splice(0)) await setRoles(await as('ada'), userId, [])
})

/** Signs in on the page of Harbour ID, in a popup or in place of the console. */
async function signInAtHarbour(page: Page, name: string) {
  await page.getByLabel('Or enter a new name').fill(name)
  await page.getByRole('button', { name: 'Continue' }).click()
}

async function pickRole(page: Page, name: string) {
  await page.getByRole('combobox', { name: 'Roles' }).fill(name)
  await page.getByRole('option', { name }).click()
  await page.keyboard.press('Escape')
}

async function signInByPopup({ page, name }: Administrator) {
  const opening = page.waitForEvent('popup')
  await findDialog(page).getByRole('button', { name: 'Sign in again' }).click()
  const popup = await opening
  const closing = popup.waitForEvent('close')
  await signInAtHarbour(popup, name)
  await closing
}

test('resets a password after a sign-in in a popup, and the dialog restores the focus', async ({ as, asNew }) => {
  const username = `reset-${randomWord()}`
  const targetPage = await asNew(username, 'Reset Person')
  const { claims } = await (await targetPage.request.get('/passport/apphelper/user')).json()
  const admin = await signInAdministrator(as, 'stale')
  const { page } = admin
  await page.goto(`/app/admin/users/${claims.sub}`)
  const button = page.getByRole('button', { name: 'Actions', exact: true })
  const requestReset = async () => {
    await button.click()
    await page.getByRole('menuitem', { name: 'Reset password' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reset password' }).click()
    await expect(findDialog(page)).toBeVisible()
  }
  await requestReset()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(findDialog(page)).toBeHidden()
  await expect(button).toBeFocused()
  await expect(
    page.getByText("Couldn't reset the password: You didn't sign in again. Nothing was changed."),
  ).toBeVisible()

  await requestReset()
  await signInByPopup(admin)
  await expect(findDialog(page)).toBeHidden()
  await expect(page.getByRole('dialog', { name: 'New password' })).toBeVisible()
})

test('without popups, leaves the page for the sign-in and offers the draft afterwards', async ({ as }) => {
  const { page, name } = await signInAdministrator(as, 'stale')
  await page.addInitScript(() => {
    window.open = () => null
  })
  const displayName = `Drafted ${randomWord()}`
  await page.goto('/app/admin/users/create')
  await page.getByLabel('Display name').fill(displayName)
  await pickRole(page, 'Passport.Developer')
  await page.getByRole('button', { name: 'Create user' }).click()
  await findDialog(page).getByRole('button', { name: 'Sign in again' }).click()
  await signInAtHarbour(page, name)

  await expect(page).toHaveURL(/\/app\/admin\/users\/create$/)
  await expect(page.getByText('Unsaved changes from before you signed in again.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(page.getByLabel('Display name')).toHaveValue(displayName)
  await expect(page.getByRole('button', { name: 'Remove Passport.Developer' })).toBeVisible()
  await page.getByRole('button', { name: 'Create user' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Create user' }).click()
  await expect(page.getByRole('heading', { level: 1, name: displayName })).toBeVisible()
})

test('cancelling the sign-in keeps the form unchanged', async ({ as }) => {
  const { page } = await signInAdministrator(as, 'stale')
  await page.goto('/app/admin/users/create')
  await page.getByLabel('Display name').fill('Not now')
  await pickRole(page, 'Passport.Developer')
  const create = page.getByRole('button', { name: 'Create user' })
  await create.click()
  await findDialog(page).getByRole('button', { name: 'Cancel' }).click()
  await expect(findDialog(page)).toBeHidden()
  await expect(page.getByLabel('Display name')).toHaveValue('Not now')
  await expect(create).toBeEnabled()
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('starts a download after the sign-in', async ({ as }) => {
  const admin = await signInAdministrator(as, 'stale')
  const { page } = admin
  await page.goto('/app/admin/audit')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'Export CSV' }).click()
  await expect(findDialog(page)).toBeVisible()
  const downloading = page.waitForEvent('download')
  await signInByPopup(admin)
  expect((await downloading).suggestedFilename()).toMatch(/\.csv$/)
})

test('names a provider that cannot prove a recent sign-in, with the setting to change', async ({ as }) => {
  const { page } = await signInAdministrator(as, 'no-auth-time')
  await page.goto('/app/admin/users')
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: 'Export CSV' }).click()
  const dialog = page.getByRole('alertdialog', { name: "Your sign-in can't be confirmed" })
  await expect(dialog).toContainText('"freshness": "prompt"')
  await expect(dialog).toContainText('harbour')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Close' }).click()
  await expect(dialog).toBeHidden()
})

test('makes a member an owner of an organisation after the sign-in', async ({ as, asNew }) => {
  const member = await asNew(`member-${randomWord()}`, 'Member Person')
  const { claims } = await (await member.request.get('/passport/apphelper/user')).json()
  const admin = await signInAdministrator(as, 'stale')
  const { page } = admin
  const post = async (path: string, data: object) =>
    (await page.request.post(`/passport/admin/orgs${path}`, { headers, data })).json()
  const { id } = await post('', { name: `Owned ${randomWord()}` })
  await post(`/${id}/members/add`, { members: [claims.sub] })
  await page.goto(`/app/admin/orgs/${id}/members`)
  await page.getByRole('button', { name: 'Actions for Member Person' }).click()
  await page.getByRole('menuitem', { name: 'Make owner', exact: true }).click()
  await expect(findDialog(page)).toBeVisible()
  await signInByPopup(admin)
  await expect(page.getByRole('row').filter({ hasText: 'Member Person' })).toContainText('Owner')
  // The row shows the change before the response.
  const readMembers = async () => (await (await page.request.get(`/passport/admin/orgs/${id}/members`)).json()).items
  await expect.poll(readMembers).toMatchObject([{ id: claims.sub, role: 'owner' }])
})
