import type { AuditEntry } from '@passport/contract/audit'
import { expect, test } from 'vitest'
import { groupEntries, isRepeat, toGroupEntry, toRepeatEntry } from './group-entries.ts'
import { formatPieces } from './sentences.ts'

let serial = 0
const entry = (overrides: Partial<AuditEntry> = {}): AuditEntry => {
  const id = `e${++serial}`
  return {
    id,
    at: '2026-11-21T09:30:00.000Z',
    action: 'user.disabled',
    actor: { id: 'a1', name: 'Ada' },
    target: { kind: 'user', id: `u-${id}`, name: `User ${id}` },
    before: null,
    after: null,
    reason: null,
    ip: null,
    userAgent: null,
    traceId: null,
    names: {},
    pictures: {},
    supportCode: null,
    ...overrides,
  }
}
const many = (count: number, overrides: Partial<AuditEntry> = {}) =>
  Array.from({ length: count }, () => entry(overrides))
const sizesOf = (entries: AuditEntry[]) => groupEntries(entries).map(({ length }) => length)
const textOf = (entries: AuditEntry[], isOpen = false) => {
  const [group] = groupEntries(entries)
  return group
    ? formatPieces(toGroupEntry(group, isOpen))
        .map((piece) => (typeof piece === 'string' ? piece : piece.name))
        .join('')
    : ''
}

test('groups three or more consecutive changes of the same kind', () => {
  expect(sizesOf([...many(30), entry({ action: 'user.enabled' }), ...many(2)])).toEqual([30, 1, 1, 1])
})

test.for<[string, AuditEntry[]]>([
  ['of different actors', [...many(2), ...many(2, { actor: { id: 'a2', name: 'Bo' } })]],
  ['of no actor', many(4, { actor: null })],
  ['of one record', many(4, { target: { kind: 'user', id: 'u1', name: 'Eve' } })],
  [
    'with different values in the sentence',
    ['A', 'B', 'C', 'D'].map((role) => entry({ action: 'role.granted', after: { role } })),
  ],
  [
    'without a record in the sentence',
    many(4, { action: 'invitation.sent', target: { kind: 'invitation', id: 'i', name: null } }),
  ],
  [
    'with longer pauses',
    ['09:30', '09:20', '09:10', '09:00'].map((time) => entry({ at: `2026-11-21T${time}:00.000Z` })),
  ],
])('does not group events %s', ([, entries]) => {
  expect(sizesOf(entries)).toEqual([1, 1, 1, 1])
})

test('groups events that happened again, with the values that they have in common', () => {
  const target = { kind: 'user' as const, id: 'a1', name: 'Ada' }
  const signIn = (time: string, after = {}) =>
    entry({
      action: 'signin.succeeded',
      target,
      at: `2026-11-21T${time}:00.000Z`,
      after: { idp: 'local', amr: ['pwd'], ...after },
    })
  const entries = [
    signIn('09:30', { client: 'shop' }),
    signIn('09:29'),
    // Another identity provider, and after a long pause.
    signIn('09:28', { idp: 'harbour' }),
    signIn('08:00', { idp: 'harbour' }),
    ...many(2, { target }),
  ]
  expect(sizesOf(entries)).toEqual([2, 1, 1, 1, 1])
  const [group] = groupEntries(entries)
  expect(group && [isRepeat(group), toRepeatEntry(group).after]).toEqual([true, { idp: 'local', amr: ['pwd'] }])
})

test.for<[string, AuditEntry[], boolean]>([
  ['Ada disabled 30 users', many(30), false],
  ['Ada disabled at least 1,200 users', many(1200), true],
  [
    'Ada added the role Stage.Editor to 3 users',
    many(3, { action: 'role.granted', after: { role: 'Stage.Editor' } }),
    false,
  ],
  [
    'Ada deleted 3 groups',
    ['a', 'b', 'c'].map((id) => entry({ action: 'group.deleted', target: { kind: 'group', id, name: id } })),
    false,
  ],
  [
    'Passport rotated 4 signing keys',
    ['a', 'b', 'c', 'd'].map((id) =>
      entry({ action: 'key.rotated', actor: null, target: { kind: 'key', id, name: null } }),
    ),
    false,
  ],
  [
    'Ada saved 3 preferences',
    ['a', 'b', 'c'].map((key) =>
      entry({ action: 'preference.saved', target: { kind: 'preference', id: `a1/${key}`, name: null } }),
    ),
    false,
  ],
])('%s', ([sentence, entries, isOpen]) => {
  expect(textOf(entries, isOpen)).toBe(sentence)
})
