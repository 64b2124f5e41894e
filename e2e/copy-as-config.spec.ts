import { expect, expectAccessible, expectNoSidewaysScroll, test } from './fixtures.ts'

const headers = { 'sec-fetch-site': 'same-origin' }
const uniqueName = (prefix: string) => `${prefix}${Math.random().toString(36).slice(2, 8)}`

test('copies a role, an organisation, a group and an application in the format of the directory file', async ({
  as,
}) => {
  const page = await as('ada', { permissions: ['clipboard-read', 'clipboard-write'] })
  const create = async (path: string, data: object) => (await page.request.post(path, { headers, data })).json()
  const role = { name: uniqueName('E2e.Copied'), description: 'A role of the browser tests' }
  const slug = uniqueName('copied-')
  await create('/passport/admin/roles', role)
  const org = await create('/passport/admin/orgs', { slug, name: 'Copied', domains: ['b.example', 'a.example'] })
  const group = await create('/passport/groups', { name: 'Copied', orgId: org.id })

  const copyConfig = async (path: string) => {
    await page.goto(path)
    await page.getByRole('button', { name: 'Actions', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Copy as config' }).click()
    await expect(page.getByText('Copied as config')).toBeVisible()
    await expectAccessible(page)
    return JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))
  }
  expect(await copyConfig(`/app/admin/roles/${role.name}`)).toEqual(role)
  expect(await copyConfig(`/app/admin/orgs/${org.id}`)).toEqual({
    slug,
    name: 'Copied',
    domains: ['a.example', 'b.example'],
  })
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await copyConfig(`/app/admin/groups/${group.id}`)).toEqual({
    org: slug,
    name: 'Copied',
    description: '',
    roles: [],
  })
  await expectNoSidewaysScroll(page)

  const fields = { clientName: 'Copied', redirectUris: ['https://copied.example/callback'] }
  const { client } = await create('/passport/admin/identity/clients', fields)
  const path = `/app/admin/identity/clients/${client.clientId}`
  expect(await copyConfig(path)).toMatchObject({ clientId: client.clientId, confidential: true, ...fields })
  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy as cURL' }).click()
  await expect(page.getByRole('button', { name: 'Get $TOKEN' })).toBeVisible()
  const origin = new URL(page.url()).origin
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    `curl '${origin}/passport/admin/identity/clients/${client.clientId}' -H "Authorization: Bearer $TOKEN"`,
  )

  await page.getByRole('button', { name: 'Actions', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Copy link' }).click()
  await expect(page.getByText('Link copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(page.url())
})
