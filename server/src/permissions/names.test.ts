import { createGroup } from '@passport/contract/groups'
import { createOrg } from '@passport/contract/orgs'
import * as api from '@passport/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type Visitor } from '../test-service.ts'

let ada: Visitor
beforeAll(async () => {
  ada = await (await startTestService()).as('ada')
})

test('returns the names of directory objects', async () => {
  const org = await ada.call(createOrg, { body: { name: 'Contoso', domains: [] } })
  const group = await ada.call(createGroup, { body: { name: 'Crew of the Stage' } })
  const objects = [
    { type: 'passport/user', id: ada.id },
    { type: 'passport/group', id: group.id },
    { type: 'passport/org', id: org.id },
    { type: 'passport/role', id: 'Passport/Admin' },
  ]
  const unknown = [
    { type: 'passport/user', id: 'nobody' },
    { type: 'passport/nothing', id: ada.id },
    { type: 'user', id: ada.id },
  ]
  const { items } = await ada.call(api.nameObjects, { body: { objects: [...objects, ...unknown] } })
  const [user, crew, contoso, admin] = objects
  expect(items).toEqual([
    { ...user, name: 'Ada Lovelace', username: 'ada' },
    { ...crew, name: 'Crew of the Stage' },
    { ...contoso, name: 'Contoso' },
    { ...admin, name: 'Passport.Admin' },
  ])
  const many = Array.from({ length: 1001 }, () => ({ type: 'passport/user', id: ada.id }))
  await expect(ada.call(api.nameObjects, { body: { objects: many } })).rejects.toMatchObject({
    status: 400,
    problem: { errors: [{ field: 'objects' }] },
  })
})
