import { afterEach, expect, test, vi } from 'vitest'
import { mockNetwork } from '../permissions/test-network.tsx'
import { writeChange } from './write-change.ts'

afterEach(() => vi.unstubAllGlobals())

const bare = {
  resource: { type: 'document', id: 'plan' },
  relation: 'viewer',
  subject: { type: 'user', id: 'eve' },
}
const filter = {
  resourceType: 'document',
  resourceId: 'plan',
  relation: 'viewer',
  subjectType: 'user',
  subjectId: 'eve',
  subjectRelation: '',
}
const conditional = { ...bare, caveat: { name: 'office_hours', context: { opens: 9 } } }

test.for([
  ['add', bare, null, 'mustNotMatch', 'touch', 'delete', bare],
  ['add', bare, conditional, 'mustMatch', 'touch', 'touch', conditional],
  ['remove', conditional, conditional, 'mustMatch', 'delete', 'touch', conditional],
] as const)('undo of %s %j restores %j', async ([change, relationship, before, expected, done, undone, back]) => {
  const sent = mockNetwork({ 'POST relationships': () => ({ writtenAt: 'r' }) })
  const undo = await writeChange({ change, relationship }, before)
  await undo()
  expect(sent.map(({ body }) => body)).toEqual([
    { updates: [{ operation: done, relationship }], preconditions: [{ operation: expected, filter }] },
    { updates: [{ operation: undone, relationship: back }] },
  ])
})
