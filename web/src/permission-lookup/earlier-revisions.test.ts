import { afterEach, expect, test, vi } from 'vitest'
import { mockNetwork } from '../permissions/test-network.tsx'
import { findTokenAt, listEarlierRevisions } from './RevisionPicker.tsx'

afterEach(() => vi.unstubAllGlobals())

const change = (id: string, token: string, hour: number) => ({
  operation: 'added' as const,
  relationship: { resource: { type: 'document', id }, relation: 'viewer', subject: { type: 'user', id: 'ada' } },
  at: `2026-01-01T0${hour}:00:00.000Z`,
  by: null,
  token,
})

test("listEarlierRevisions returns the previous commit's token and omits the oldest commit", () => {
  const revisions = listEarlierRevisions([
    change('c', 't3', 3),
    change('b', 't2', 2),
    change('bb', 't2', 2),
    change('a', 't1', 1),
  ])
  expect(revisions.map(({ token, change }) => [token, change])).toEqual([
    ['t2', 'Added document:c#viewer@user:ada'],
    ['t1', 'Added document:b#viewer@user:ada and 1 more'],
  ])
})

test('findTokenAt finds the last change until a time on any page', async () => {
  mockNetwork({
    'GET history': ({ query }) =>
      query['cursor']
        ? { items: [change('a', 't1', 1)], cursor: null }
        : { items: [change('c', 't3', 3), change('b', 't2', 2)], cursor: 'next' },
  })
  const at = (time: string) => findTokenAt(Date.parse(`2026-01-01T${time}Z`))
  expect(await at('02:30:00')).toBe('t2')
  expect(await at('01:00:00')).toBe('t1')
  expect(await at('00:59:59')).toBeUndefined()
})
