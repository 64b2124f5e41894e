import { expect, expectAccessible, expectNoSidewaysScroll, test } from './cast.ts'

const headers = { 'sec-fetch-site': 'same-origin' }
const aName = (what: string) => `${what}${Math.random().toString(36).slice(2, 8)}`

test('a role, an organisation and a group are copied as the file of the directory has them', async ({ as }) => {
  const page = await as('ada', { permissions: ['clipboard-read', 'clipboard-write'] })
  const make = async (path: string, data: object) => (await page.request.post(path, { headers, data })).json()
  const role = { name: aName('E2e.Copied'), description: 'Is copied' }
  const slug = aName('copied-')
  await make('/passport/admin/roles', role)
  const org = await make('/passport/admin/orgs', { slug, name: 'Copied', domains: ['b.example', 'a.example'] })
  const group = await make('/passport/groups', { name: 'Copied', orgId: org.id })

  const copied = async (path: string) => {
    await page.goto(path)
    const button = page.getByRole('button', { name: 'Copy as config' })
    await expect(button).toBeEnabled()
    await button.click()
    await expect(page.getByText('Copied as config')).toBeVisible()
    await expectAccessible(page)
    return JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
  }
  expect(await copied(`/app/admin/roles/${role.name}`)).toEqual(role)
  expect(await copied(`/app/admin/orgs/${org.id}`)).toEqual({
    slug,
    name: 'Copied',
    domains: ['a.example', 'b.example'],
  })
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await copied(`/app/admin/groups/${group.id}`)).toEqual({
    org: slug,
    name: 'Copied',
    description: '',
    roles: [],
  })
  await expectNoSidewaysScroll(page)
})
