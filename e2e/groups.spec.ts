import type { Page } from '@playwright/test'
import { expect, test } from './cast.ts'

/** Every test has groups of its own: the people are shared by all tests of a worker. */
const aName = (name = 'Crew') => `${name} ${Math.random().toString(36).slice(2, 8)}`

interface Sent {
  path: string
  body: unknown
  ifMatch: string | undefined
}

/** What is sent to change the people of groups. */
function changesBy(page: Page): Sent[] {
  const sent: Sent[] = []
  page.on('request', async (request) => {
    const { pathname } = new URL(request.url())
    if (request.method() !== 'POST' || !/\/(members|owners)\/(add|remove)$/.test(pathname)) return
    const path = pathname.replace(/^\/passport\/groups\/[^/]+\//, '')
    const sending = { path, body: request.postDataJSON(), ifMatch: '' as string | undefined }
    sent.push(sending)
    sending.ifMatch = (await request.allHeaders())['if-match']
  })
  return sent
}

const idOf = async (page: Page) =>
  ((await (await page.request.get('/passport/apphelper/user')).json()) as { claims: { sub: string } }).claims.sub

const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }

interface Group {
  id: string
  name: string
  version: number
}

async function makeGroup(page: Page, more: Record<string, unknown> = {}): Promise<Group> {
  const made = await page.request.post('/passport/groups', { headers, data: { name: aName(), ...more } })
  return made.json()
}

/** Picks people in the box above the list, and adds them. */
async function pick(page: Page, ...names: [typed: string, shown: string][]) {
  for (const [typed, shown] of names) {
    await page.getByRole('combobox', { name: 'People' }).fill(typed)
    await page.getByRole('option', { name: shown }).click()
  }
  await page.getByRole('button', { name: /^Add \d+ / }).click()
}
const rowOf = (page: Page, name: string) => page.getByRole('row', { name: new RegExp(name) })

test('an owner makes a group, adds and removes people by lists, and takes it back', async ({ as, complaints }) => {
  const [page, dev, ada] = [await as('eve'), await as('dev'), await as('ada')]
  const [devId, adaId] = [await idOf(dev), await idOf(ada)]
  const sent = changesBy(page)
  const name = aName()

  await page.goto('/app/account/groups')
  await page.getByRole('button', { name: 'New group' }).click()
  await page.getByRole('button', { name: 'Create group' }).click()
  await expect(page.getByLabel('Name')).toHaveAttribute('aria-invalid', 'true')
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create group' }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page).toHaveTitle(new RegExp(`^${name}`))

  await pick(page, ['dev', 'Dev Patel'], ['ada', 'Ada Lovelace'])
  await expect(page.getByText(`2 members added to ${name}`)).toBeVisible()
  await expect(rowOf(page, 'Ada Lovelace')).toBeVisible()
  await expect
    .poll(() => sent.at(-1))
    .toEqual({ path: 'members/add', body: { members: [devId, adaId] }, ifMatch: '"1"' })

  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('toolbar', { name: 'Bulk actions' }).getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText(`2 members removed from ${name}`)).toBeVisible()
  await expect.poll(() => sent.at(-1)).toMatchObject({ path: 'members/remove', ifMatch: '"2"' })
  await expect(page.getByText('There are no members yet')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).first().click()
  await expect(rowOf(page, 'Ada Lovelace')).toBeVisible()

  await page.getByRole('link', { name: 'Join links' }).click()
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
  await expect(page.getByRole('img', { name: 'The link as a QR code' })).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(page.getByRole('listitem').filter({ hasText: 'Anyone' })).toContainText('0 joined')

  await page.getByRole('link', { name: 'Owners' }).click()
  await pick(page, ['dev', 'Dev Patel'])
  await expect.poll(() => sent.at(-1)).toMatchObject({ path: 'owners/add', body: { owners: [devId] } })
  await expect(page.getByText(`1 owner added to ${name}`)).toBeVisible()
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('toolbar', { name: 'Bulk actions' }).getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('A group keeps an owner.')).toBeVisible()
  // A name that is missing, and a last owner: the browser tells of both answers.
  expect(complaints.splice(0).filter((text) => !/ 400 | 409 /.test(text))).toEqual([])
})

test('a member sees a group, changes nothing in it, and leaves', async ({ as }) => {
  const [eve, page] = [await as('eve'), await as('dev')]
  const group = await makeGroup(eve, { members: [await idOf(page)] })
  await page.goto('/app/account/groups')
  await page.getByRole('searchbox').fill(group.name)
  await page.getByRole('link', { name: group.name }).click()
  await expect(page.getByRole('heading', { level: 1, name: group.name })).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'People' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Settings' })).toBeHidden()
  await expect(page.getByRole('link', { name: 'Join links' })).toBeHidden()
  await page.getByRole('button', { name: 'Leave …' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Leave' }).click()
  await expect(page.getByText(`You have left ${group.name}`)).toBeVisible()
  await expect(page).toHaveURL(/\/app\/account\/groups$/)
  await expect(page.getByRole('link', { name: group.name })).toBeHidden()
})

test('an administrator pastes a list, with a verdict for each line', async ({ as }) => {
  const [page, dev] = [await as('max'), await as('dev')]
  const devId = await idOf(dev)
  const { id, name } = await makeGroup(page, { members: [devId] })
  await page.goto(`/app/admin/groups/${id}`)
  await page.getByRole('button', { name: 'Paste a list …' }).click()
  const dialog = page.getByRole('dialog', { name: 'Paste a list of members' })
  await dialog.getByRole('textbox').fill(`eve\n${devId}, nobody@passport.example\nADA`)
  await dialog.getByRole('button', { name: 'Check' }).click()
  await expect(dialog.getByRole('status')).toHaveText('3 found, 1 not')
  await expect(dialog.getByRole('listitem')).toHaveText([
    /eve✓ Eve Moreau/,
    /Already a member/,
    /nobody@passport\.example✗ Nobody has it/,
    /✓ Ada Lovelace/,
  ])
  await dialog.getByRole('button', { name: 'Add 2' }).click()
  await page.getByRole('button', { name: 'Add 2 members' }).click()
  await expect(page.getByText(`2 members added to ${name}`)).toBeVisible()
  await expect(rowOf(page, 'Eve Moreau')).toBeVisible()
})

test('two who change a group at once are shown what the other did', async ({ as, complaints }) => {
  const page = await as('max')
  const group = await makeGroup(page, { description: 'Was' })
  await page.goto(`/app/admin/groups/${group.id}/settings`)
  await page.getByLabel('Description').fill('Mine')
  const other = { name: group.name, description: 'Theirs' }
  await page.request.put(`/passport/groups/${group.id}`, { headers, data: other })
  await page.getByRole('button', { name: 'Save' }).click()
  const dialog = page.getByRole('dialog', { name: 'Someone else changed this group' })
  await expect(dialog.getByText('Theirs', { exact: true })).toBeVisible()
  await dialog.getByRole('radio', { name: /Keep mine/ }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()

  await page.getByRole('link', { name: 'Members' }).click()
  await expect(page.getByRole('combobox', { name: 'People' })).toBeVisible()
  await page.request.put(`/passport/groups/${group.id}`, { headers, data: { ...other, description: 'Again' } })
  await pick(page, ['eve', 'Eve Moreau'])
  await page
    .getByRole('dialog', { name: 'Someone else changed this group' })
    .getByRole('button', { name: 'Save' })
    .click()
  await expect(rowOf(page, 'Eve Moreau')).toBeVisible()
  const stale = complaints.splice(0).filter((text) => !text.includes('412'))
  expect(stale).toEqual([])
})

test('roles of a group are shown before they are given', async ({ as }) => {
  const [page, eve] = [await as('max'), await as('eve')]
  const group = await makeGroup(page, { members: [await idOf(eve)] })
  await page.goto(`/app/admin/groups/${group.id}/roles`)
  await page.getByRole('checkbox', { name: /^Passport\.Developer/ }).check()
  await page.getByRole('button', { name: 'Save roles' }).click()
  const question = page.getByRole('alertdialog')
  await expect(question.getByText(/1 person gains/)).toBeVisible()
  await expect(question.getByText(/Eve Moreau/)).toBeVisible()
  await question.getByRole('button', { name: 'Change roles' }).click()
  await expect(page.getByText(`The roles of ${group.name} are changed`)).toBeVisible()
  const told = await (await eve.request.get('/passport/apphelper/user')).json()
  expect(told.roles).toEqual(['Passport.Developer'])

  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page
    .getByRole('button', { name: /Actions of Eve Moreau|Eve Moreau/ })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await expect(question.getByText(/1 person loses/)).toBeVisible()
  await question.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('There are no members yet')).toBeVisible()
  expect((await (await eve.request.get('/passport/apphelper/user')).json()).roles).toEqual([])

  await page.getByRole('link', { name: 'Activity' }).click()
  await expect(page.getByText(/changed the roles of/)).toBeVisible()
})

test('a deleted group comes back by Undo', async ({ as }) => {
  const page = await as('max')
  const group = await makeGroup(page)
  await page.goto(`/app/admin/groups/${group.id}/settings`)
  await page.getByRole('button', { name: 'Delete group' }).click()
  await expect(page).toHaveURL(/\/app\/admin\/groups$/)
  await page.getByRole('searchbox').fill(group.name)
  await expect(page.getByText('No groups match')).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('link', { name: group.name })).toBeVisible()
})

test('a group that did not change is not sent again', async ({ as }) => {
  const page = await as('max')
  const { id } = await makeGroup(page)
  const answers: number[] = []
  page.on('response', (response) => {
    if (new URL(response.url()).pathname === `/passport/groups/${id}`) answers.push(response.status())
  })
  await page.goto(`/app/admin/groups/${id}`)
  await expect(page.getByText('There are no members yet')).toBeVisible()
  const read = (ifNoneMatch: string) =>
    page.request.get(`/passport/groups/${id}`, { headers: { 'if-none-match': ifNoneMatch } })
  expect([(await read('"1"')).status(), (await read('"0"')).status()]).toEqual([304, 200])
  // The browser asks with what it has, and shows that where it is told that nothing changed.
  const again = await page.evaluate(async (id) => {
    const [one, other] = [await fetch(`/passport/groups/${id}`), await fetch(`/passport/groups/${id}`)]
    return [one.status, (await one.json()).id, (await other.json()).version]
  }, id)
  expect(again).toEqual([200, id, 1])
  await page.reload()
  await expect(page.getByText('There are no members yet')).toBeVisible()
  expect(answers.every((status) => status === 200 || status === 304)).toBe(true)
})

test('what is not there, or not for whoever asks, is said in place', async ({ as, complaints }) => {
  const [max, page] = [await as('max'), await as('eve')]
  const { id } = await makeGroup(max)
  await page.goto(`/app/account/groups/${id}`)
  await expect(page.getByRole('heading', { name: 'There is no such group' })).toBeVisible()
  await max.goto('/app/admin/groups/nothing')
  await expect(max.getByRole('heading', { name: 'There is no such group' })).toBeVisible()
  await max.route('**/passport/groups?*', (route) =>
    route.fulfill({ status: 500, contentType: 'text/plain', body: 'no' }),
  )
  await max.goto('/app/admin/groups')
  await expect(max.getByRole('alert')).toBeVisible()
  await max.unroute('**/passport/groups?*')
  await max.getByRole('button', { name: 'Try again' }).click()
  await expect(max.getByRole('table')).toBeVisible()
  expect(complaints.splice(0).filter((text) => !/404|500/.test(text))).toEqual([])
})
