import type { Page } from '@playwright/test'
import { expect, test } from './fixtures.ts'

/** Returns a unique name: each test has its own groups, because the tests of a worker share the users. */
const uniqueName = (name = 'Crew') => `${name} ${Math.random().toString(36).slice(2, 8)}`

interface RecordedChange {
  path: string
  body: unknown
  ifMatch: string | undefined
}

/** Records the requests that add or remove members and owners. */
function recordChanges(page: Page): RecordedChange[] {
  const changes: RecordedChange[] = []
  page.on('request', async (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'POST' || !/\/(members|owners)\/(add|remove)$/.test(pathname)) return
    const path = pathname.replace(/^\/passport\/groups\/[^/]+\//, '')
    const change = { path, body: request.postDataJSON(), ifMatch: '' as string | undefined }
    changes.push(change)
    change.ifMatch = (await request.allHeaders())['if-match']
  })
  return changes
}

const fetchUserId = async (page: Page) =>
  ((await (await page.request.get('/passport/apphelper/user')).json()) as { claims: { sub: string } }).claims.sub

const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

interface Group {
  id: string
  name: string
  version: number
}

async function createGroup(page: Page, fields: Record<string, unknown> = {}): Promise<Group> {
  const response = await page.request.post('/passport/groups', { headers, data: { name: uniqueName(), ...fields } })
  return response.json()
}

/** Picks users in the dialog and adds them. */
async function addUsers(page: Page, ...names: [typed: string, shown: string][]) {
  await page.getByRole('button', { name: /^Add (members|owners)$/ }).click()
  for (const [typed, shown] of names) {
    await page.getByRole('combobox', { name: 'Users' }).fill(typed)
    await page.getByRole('option', { name: shown }).click()
  }
  await page.getByRole('button', { name: /^Add \d+ / }).click()
}
async function chooseAction(page: Page, action: string) {
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}
const findRow = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

test('an owner creates a group, adds members, removes them in bulk with Undo, and adds owners', async ({
  as,
  consoleErrors,
}) => {
  const [page, dev, ada] = [await as('eve'), await as('dev'), await as('ada')]
  const [devId, adaId] = [await fetchUserId(dev), await fetchUserId(ada)]
  const changes = recordChanges(page)
  const name = uniqueName()

  await page.goto('/app/account/groups')
  await page.getByRole('link', { name: 'Create group' }).click()
  const create = page.getByRole('button', { name: 'Create group' })
  await create.click()
  await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Name').fill(name)
  await create.click()
  await expect(page.getByText('Group created')).toBeVisible()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page).toHaveTitle(new RegExp(`^${name}`))

  await addUsers(page, ['dev', 'Dev Patel'], ['ada', 'Ada Lovelace'])
  await expect(page.getByText(`2 members added to ${name}`)).toBeVisible()
  await expect(findRow(page, 'Ada Lovelace')).toBeVisible()
  await expect
    .poll(() => changes.at(-1))
    .toEqual({ path: 'members/add', body: { members: [devId, adaId] }, ifMatch: '"1"' })

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('toolbar', { name: 'Bulk actions' }).getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText(`2 members removed from ${name}`)).toBeVisible()
  await expect.poll(() => changes.at(-1)).toMatchObject({ path: 'members/remove', ifMatch: '"2"' })
  await expect(page.getByText(/no members yet/i)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(findRow(page, 'Ada Lovelace')).toBeVisible()

  await page.getByRole('link', { name: 'Join links' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByRole('img', { name: 'QR code of the link' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listitem').filter({ hasText: 'Anyone' })).toContainText('0 joined')

  await page.getByRole('link', { name: 'Owners' }).click()
  await addUsers(page, ['dev', 'Dev Patel'])
  await expect.poll(() => changes.at(-1)).toMatchObject({ path: 'owners/add', body: { owners: [devId] } })
  await expect(page.getByText(`1 owner added to ${name}`)).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('toolbar', { name: 'Bulk actions' }).getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('A group must have an owner.')).toBeVisible()
  // The browser logs both failures: the missing name and the last owner.
  expect(consoleErrors.splice(0).filter((text) => !/ 400 | 409 /.test(text))).toEqual([])
})

test('a member sees a group, cannot change it, and leaves', async ({ as }) => {
  const [eve, page] = [await as('eve'), await as('dev')]
  const group = await createGroup(eve, { members: [await fetchUserId(page)] })
  await page.goto('/app/account/groups')
  await page.getByRole('searchbox').fill(group.name)
  await page.getByRole('link', { name: group.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: group.name })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Add members' })).toBeHidden()
  await expect(page.getByRole('button', { name: 'Edit' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Join links' })).toBeHidden()
  await chooseAction(page, 'Leave')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByText(`You left ${group.name}`)).toBeVisible()
  await expect(page).toHaveURL(/\/app\/account\/groups$/)
  await expect(page.getByRole('link', { name: group.name })).toBeHidden()
})

test('an administrator adds members by a pasted list, with a verdict for each line', async ({ as }) => {
  const [page, dev] = [await as('max'), await as('dev')]
  const devId = await fetchUserId(dev)
  const { id, name } = await createGroup(page, { members: [devId] })
  await page.goto(`/app/admin/groups/${id}`)
  await page.getByRole('button', { name: 'Add members' }).click()
  await page.getByRole('button', { name: 'Paste a list…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Paste a list of members' })
  await dialog.getByRole('textbox').fill(`eve\n${devId}, nobody@passport.example\nADA`)
  await dialog.getByRole('button', { name: 'Check' }).click()
  await expect(dialog.getByRole('status')).toHaveText('3 found, 1 not found')
  await expect(dialog.getByRole('listitem')).toHaveText([
    /eve✓ Eve Moreau/,
    /Already a member/,
    /nobody@passport\.example✗ No match/,
    /✓ Ada Lovelace/,
  ])
  await dialog.getByRole('button', { name: 'Add 2' }).click()
  await page.getByRole('button', { name: 'Add 2 members' }).click()
  await expect(page.getByText(`2 members added to ${name}`)).toBeVisible()
  await expect(findRow(page, 'Eve Moreau')).toBeVisible()
})

test('compares the versions when two users change a group concurrently', async ({ as, consoleErrors }) => {
  const page = await as('max')
  const group = await createGroup(page, { description: 'Was' })
  await page.goto(`/app/admin/groups/${group.id}/settings`)
  await page.getByLabel('Description').fill('Mine')
  const concurrentChange = { name: group.name, description: 'Theirs' }
  await page.request.put(`/passport/groups/${group.id}`, { headers, data: concurrentChange })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Another user changed this group' })
  await expect(dialog.getByText('Theirs', { exact: true })).toBeVisible()
  await dialog.getByRole('radio', { name: /Keep mine/ }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()

  await expect(page.getByLabel('Description')).toBeHidden()
  await expect(page.getByRole('button', { name: 'Add members' })).toBeVisible()
  await page.request.put(`/passport/groups/${group.id}`, {
    headers,
    data: { ...concurrentChange, description: 'Again' },
  })
  await addUsers(page, ['eve', 'Eve Moreau'])
  await page
    .getByRole('dialog', { name: 'Another user changed this group' })
    .getByRole('button', { name: 'Save' })
    .click()
  await expect(findRow(page, 'Eve Moreau')).toBeVisible()
  const stale = consoleErrors.splice(0).filter((text) => !text.includes('412'))
  expect(stale).toEqual([])
})

test('previews the effect of a group role before adding it, and keeps the picked role during a concurrent change', async ({
  as,
}) => {
  const [page, eve] = [await as('max'), await as('eve')]
  const group = await createGroup(page, { members: [await fetchUserId(eve)] })
  await page.goto(`/app/admin/groups/${group.id}/roles`)
  await expect(page.getByText('No roles yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add roles' }).click()
  await page.getByRole('combobox', { name: 'Roles' }).fill('passport.dev')
  await page.getByRole('option', { name: 'Passport.Developer' }).click()
  const concurrentChange = { name: group.name, description: 'Described since then' }
  await page.request.put(`/passport/groups/${group.id}`, { headers, data: concurrentChange })
  await page.evaluate(() => dispatchEvent(new Event('focus')))
  await expect(page.getByText('Described since then')).toBeVisible()
  await page.getByRole('button', { name: 'Add 1 role' }).click()
  const confirmation = page.getByRole('alertdialog')
  await expect(confirmation.getByText(/1 user gains/)).toBeVisible()
  await expect(confirmation.getByText(/Eve Moreau/)).toBeVisible()
  await confirmation.getByRole('button', { name: 'Add' }).click()
  await expect(page.getByText(`Passport.Developer added to ${group.name}`)).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove Passport.Developer' })).toBeVisible()
  const currentUser = await (await eve.request.get('/passport/apphelper/user')).json()
  expect(currentUser.roles).toEqual(['Passport.Developer'])

  await page.getByRole('link', { name: 'Members' }).click()
  await page
    .getByRole('button', { name: /Actions of Eve Moreau|Eve Moreau/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await expect(confirmation.getByText(/1 user loses/)).toBeVisible()
  await confirmation.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText(/no members yet/i)).toBeVisible()
  await expect.poll(async () => (await (await eve.request.get('/passport/apphelper/user')).json()).roles).toEqual([])

  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByText(/changed the roles of/)).toBeVisible()
})

test('deletes a group after its name is typed, and restores it with Undo', async ({ as }) => {
  const page = await as('max')
  const group = await createGroup(page)
  await page.goto(`/app/admin/groups/${group.id}`)
  await chooseAction(page, 'Delete')
  const confirmation = page.getByRole('alertdialog', { name: `Delete ${group.name}?` })
  await expect(confirmation.getByRole('button', { name: 'Delete group' })).toBeDisabled()
  await confirmation.getByLabel(`Type ${group.name} to confirm`).fill(group.name)
  await confirmation.getByRole('button', { name: 'Delete group' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/groups$/)
  await expect(page.getByText('Group deleted')).toBeVisible()
  await page.getByRole('searchbox').fill(group.name)
  await expect(page.getByText('No groups match')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('link', { name: group.name })).toBeVisible()
})

test('sends an unchanged group only once: a second request is answered with 304', async ({ as }) => {
  const page = await as('max')
  const { id } = await createGroup(page)
  const statuses: number[] = []
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === `/passport/groups/${id}`) statuses.push(response.status())
  })
  await page.goto(`/app/admin/groups/${id}`)
  await expect(page.getByText(/no members yet/i)).toBeVisible()
  const read = (ifNoneMatch: string) =>
    page.request.get(`/passport/groups/${id}`, { headers: { 'if-none-match': ifNoneMatch } })
  expect([(await read('"1"')).status(), (await read('"0"')).status()]).toEqual([304, 200])
  // The browser revalidates its cached copy and shows it on 304.
  const cached = await page.evaluate(async (id) => {
    const [first, second] = [await fetch(`/passport/groups/${id}`), await fetch(`/passport/groups/${id}`)]
    return [first.status, (await first.json()).id, (await second.json()).version]
  }, id)
  expect(cached).toEqual([200, id, 1])
  await page.reload()
  await expect(page.getByText(/no members yet/i)).toBeVisible()
  expect(statuses.every((status) => status === 200 || status === 304)).toBe(true)
})

test('reports missing and invisible groups, and retries a failed list', async ({ as, consoleErrors }) => {
  const [max, page] = [await as('max'), await as('eve')]
  const { id } = await createGroup(max)
  await page.goto(`/app/account/groups/${id}`)
  await expect(page.getByRole('heading', { name: 'Group not found' })).toBeVisible()
  await max.goto('/app/admin/groups/nothing')
  await expect(max.getByRole('heading', { name: 'Group not found' })).toBeVisible()
  await max.route('**/passport/groups?*', (route) =>
    route.fulfill({ status: 500, contentType: 'text/plain', body: 'no' }),
  )
  await max.goto('/app/admin/groups')
  await expect(max.getByRole('alert')).toBeVisible()
  await max.unroute('**/passport/groups?*')
  await max.getByRole('button', { name: 'Try again' }).click()
  await expect(max.getByRole('table')).toBeVisible()
  expect(consoleErrors.splice(0).filter((text) => !/404|500/.test(text))).toEqual([])
})
