import type { Relationship } from '@passport/contract/permission-terms'
import * as api from '@passport/contract/permissions'
import { beforeAll, expect, test } from 'vitest'
import { startTestService, type TestService, type Visitor } from '../test-service.ts'
import { fetchProblem, parseWireRelationship } from './test-tools.ts'

/* Deletion of a list of relationships, and its undo. */

const schema = `use expiration

definition user {}

caveat only_friday(day string) {
  day == "fri"
}

definition group {
  relation member: user
}

definition document {
  relation viewer: user | user:* | group#member | user with only_friday | user with expiration
  relation banned: user
  permission view = viewer - banned
}`

const updates = (operation: 'create' | 'touch', relationships: Relationship[]) =>
  relationships.map((relationship) => ({ operation, relationship }))

let service: TestService
let ada: Visitor
beforeAll(async () => {
  service = await startTestService()
  ada = await service.as('ada')
  await ada.call(api.putPermissionSchema, { body: { text: schema } })
})

const write = (relationships: Relationship[]) =>
  ada.call(api.writeRelationships, { body: { updates: updates('touch', relationships) } })
const read = async (resourceId: string) =>
  (await ada.call(api.listRelationships, { query: { resourceType: 'document', resourceId } })).items
const withoutTerms = ({ resource, relation, subject }: Relationship) => ({ resource, relation, subject })

test('deletes a list atomically, audits it, and restores it exactly', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const stored = [
    { ...parseWireRelationship('document:a#viewer@user:ann'), expiresAt },
    {
      ...parseWireRelationship('document:a#viewer@user:ben'),
      caveat: { name: 'only_friday', context: { day: 'mon' } },
    },
    parseWireRelationship('document:a#viewer@user:cyd'),
  ]
  const kept = parseWireRelationship('document:a#viewer@user:dora')
  await write([...stored, kept])
  const absent = parseWireRelationship('document:a#viewer@user:nobody')
  const { deleted, deletedAt } = await ada.call(api.deleteListedRelationships, {
    body: { relationships: [...stored, absent].map(withoutTerms) },
  })
  expect(deleted).toEqual(stored)
  expect(await read('a')).toEqual([kept])
  const { items } = await ada.call(api.listRelationshipHistory, {
    query: { resourceId: 'a', resourceType: 'document' },
  })
  const removed = items.filter(({ operation }) => operation === 'removed')
  expect(removed.map(({ token }) => token)).toEqual([deletedAt, deletedAt, deletedAt])

  const [event] = await service.sql<{ before: { relationships: string[] }; after: unknown }[]>`
    select before, after from audit_events where action = 'permissions.relationships-changed' order by at desc, id desc limit 1`
  expect(event?.before.relationships).toHaveLength(3)
  expect(event?.before.relationships.join(' ')).toMatch(/user:ann\[expiration:.+user:ben\[only_friday:/)
  expect(event?.after).toEqual({ relationships: [] })

  await ada.call(api.writeRelationships, { body: { updates: updates('create', deleted) } })
  expect(await read('a')).toEqual([...stored, kept])
})

test('the restoration of a deleted list does not overwrite a later change', async () => {
  const [first, second] = [
    parseWireRelationship('document:b#viewer@user:ann'),
    parseWireRelationship('document:b#viewer@user:ben'),
  ]
  await write([first, second])
  const { deleted } = await ada.call(api.deleteListedRelationships, { body: { relationships: [first, second] } })
  const changed = { ...second, caveat: { name: 'only_friday' } }
  await write([changed])
  expect(await fetchProblem(ada, api.writeRelationships.path, { updates: updates('create', deleted) })).toEqual({
    status: 409,
    code: 'already-exists',
    field: 'updates[1].relationship',
  })
  expect(await read('b')).toEqual([changed])
})

test('deletes nothing if one relationship is invalid or a precondition fails', async () => {
  const first = parseWireRelationship('document:c#viewer@user:ann')
  await write([first])
  const path = api.deleteListedRelationships.path
  const errors = [
    [
      [first, parseWireRelationship('document:c#reader@user:ann')],
      400,
      'unknown-relation',
      'relationships[1].relation',
    ],
    [[first, first], 400, 'duplicate-update', 'relationships[1]'],
    [
      [first, parseWireRelationship('passport/group:g#member@passport/user:u')],
      409,
      'directory-owned',
      'relationships[1].resource.type',
    ],
    [[], 400, 'invalid-request', 'relationships'],
    [
      Array.from({ length: 1001 }, (_, index) => parseWireRelationship(`document:c#viewer@user:u${index}`)),
      400,
      'invalid-request',
      'relationships',
    ],
  ] as const
  for (const [relationships, status, code, field] of errors)
    expect(await fetchProblem(ada, path, { relationships })).toEqual({ status, code, field })
  const preconditions = [{ operation: 'mustNotMatch', filter: { resourceType: 'document', resourceId: 'c' } }]
  expect(await fetchProblem(ada, path, { relationships: [first], preconditions })).toMatchObject({
    code: 'precondition-failed',
  })
  expect(await read('c')).toEqual([first])
})

test('previews the combined effect of a list, with totals', async () => {
  const chosen = ['d', 'e'].flatMap((id) => [
    parseWireRelationship(`document:${id}#viewer@user:ann`),
    parseWireRelationship(`document:${id}#viewer@group:crew#member`),
  ])
  await write([
    ...chosen,
    ...['ann', 'ben', 'cyd'].map((id) => parseWireRelationship(`group:crew#member@user:${id}`)),
    parseWireRelationship('document:e#viewer@user:cyd'),
    parseWireRelationship('document:d#banned@user:ben'),
  ])
  const preview = (relationships: Relationship[]) => ada.call(api.previewDeletion, { body: { relationships } })
  // Either one alone takes nothing from ann: she has the other.
  const alone = await preview(chosen.slice(0, 1))
  expect(alone).toMatchObject({ losses: [], lossesInTotal: [], isComplete: true })
  const absent = parseWireRelationship('document:d#viewer@user:nobody')
  const stored = await preview([...chosen, absent])
  expect(stored.relationships).toEqual(chosen)
  const userEffects = stored.losses.filter(({ subjectType }) => subjectType === 'user')
  expect(userEffects.map(({ resource, sample }) => [resource.id, sample])).toEqual([
    ['d', ['ann', 'cyd']],
    ['e', ['ann', 'ben']],
  ])
  expect(stored.lossesInTotal.filter(({ subjectType }) => subjectType === 'user')).toEqual([
    { resourceType: 'document', permission: 'view', subjectType: 'user', subjects: 3, resources: 2 },
  ])
  const { gainsInTotal } = await preview([parseWireRelationship('document:d#banned@user:ben')])
  expect(gainsInTotal).toEqual([
    { resourceType: 'document', permission: 'view', subjectType: 'user', subjects: 1, resources: 1 },
  ])
  expect(await read('d')).toHaveLength(3)
  const both = { filter: { resourceType: 'document' }, relationships: chosen }
  for (const body of [both, {}])
    expect(await fetchProblem(ada, api.previewDeletion.path, body)).toMatchObject({ status: 400 })
})

test('counts a deleted exclusion as a gain, and a subject that the wildcard includes as no loss', async () => {
  const ban = parseWireRelationship('document:open#banned@user:tom')
  const named = parseWireRelationship('document:open#viewer@user:ann')
  const everyone = parseWireRelationship('document:open#viewer@user:*')
  await write([everyone, named, ban])
  const userEffects = async (relationships: Relationship[]) => {
    const { losses, gains } = await ada.call(api.previewDeletion, { body: { relationships } })
    const samples = (all: typeof losses) => all.flatMap(({ sample }) => sample)
    return { losses: samples(losses), gains: samples(gains) }
  }
  expect(await userEffects([ban])).toEqual({ losses: [], gains: ['tom'] })
  expect(await userEffects([named])).toEqual({ losses: [], gains: [] })
  expect(await userEffects([everyone])).toEqual({ losses: ['*'], gains: [] })
})

test('reports no gains beyond the read limit', async () => {
  const formatId = (index: number) => `many${String(index).padStart(4, '0')}`
  const many = Array.from({ length: 1200 }, (_, index) =>
    parseWireRelationship(`document:crowd#viewer@user:${formatId(index)}`),
  )
  await write(many.slice(0, 1000))
  await write(many.slice(1000))
  const lost = [many[500], many[1100]].filter((first) => first !== undefined)
  const { losses, gains, isComplete } = await ada.call(api.previewDeletion, { body: { relationships: lost } })
  const userEffects = losses.filter(({ subjectType }) => subjectType === 'user')
  expect([userEffects.map(({ sample }) => sample), gains, isComplete]).toEqual([[[formatId(500)]], [], false])
})
