import { type AuditEntry, actions } from '@passport/contract/audit'
import { expect, test } from 'vitest'
import { piecesOf, saidIn, sentences } from './sentences.ts'

const ada = { id: 'a1', name: 'Ada' }
const entry: AuditEntry = {
  id: 'e1',
  at: '2026-11-21T09:30:00.000Z',
  action: '',
  actor: ada,
  target: { kind: 'user', id: 'u1', name: 'Eve' },
  before: null,
  after: null,
  reason: null,
  ip: null,
  userAgent: null,
  traceId: null,
  names: {},
  supportCode: null,
}
const said = (part: Partial<AuditEntry>) =>
  piecesOf({ ...entry, ...part })
    .map((piece) => (typeof piece === 'string' ? piece : piece.name))
    .join('')

test('every action of the server has a sentence, and no other', () => {
  expect(Object.keys(sentences).sort()).toEqual([...actions].sort())
})

test.for(actions)('%s is said without a gap', (action) => {
  for (const actor of [ada, null])
    for (const target of [entry.target, { kind: 'audit', id: null, name: null }]) {
      const text = said({ action, actor, target })
      expect(text).not.toMatch(/[{}]|undefined|null| {2}/)
      expect(text.length).toBeGreaterThan(8)
    }
})

test.for<[string, Partial<AuditEntry>]>([
  ['Ada disabled Eve', { action: 'user.disabled' }],
  ['Ada gave Eve the role Passport.Admin', { action: 'role.granted', after: { role: 'Passport.Admin' } }],
  ['Ada took the role Passport.Admin from Eve', { action: 'role.taken', before: { role: 'Passport.Admin' } }],
  ['Ada changed the profile of Eve', { action: 'profile.changed' }],
  ['Ada changed their own profile', { action: 'profile.changed', target: { kind: 'user', ...ada } }],
  ['Ada ended a session of Eve', { action: 'session.revoked' }],
  ['Ada ended a session', { action: 'session.revoked', target: { kind: 'user', ...ada } }],
  ['Ada deleted the group g1', { action: 'group.deleted', target: { kind: 'group', id: 'g1', name: null } }],
  ['Ada invited bo@x.example', { action: 'invitation.sent', after: { email: 'bo@x.example' } }],
  [
    'Passport removed 12 events that were past their time',
    { action: 'audit.purged', actor: null, after: { events: 12 } },
  ],
  [
    'Passport removed for good what was deleted 30 days ago: 2',
    { action: 'bin.purged', actor: null, before: { ids: ['a', 'b'] } },
  ],
  [
    'Ada wrote relationships: 3',
    { action: 'permissions.relationships-changed', before: { removed: 0 }, after: { written: 3 } },
  ],
  [
    'Ada removed relationships: 2',
    { action: 'permissions.relationships-changed', before: { removed: 2 }, after: { written: 0 } },
  ],
  [
    'Ada changed relationships: 1 written, 2 removed',
    { action: 'permissions.relationships-changed', before: { removed: 2 }, after: { written: 1 } },
  ],
  ['Sign-in failed', { action: 'signin.failed', actor: null }],
  ['Ada did “thing.new” to Eve', { action: 'thing.new' }],
])('%s', ([sentence, part]) => {
  expect(said(part)).toBe(sentence)
})

test('what the sentence tells need not be told again, but lists and what was changed', () => {
  expect(saidIn({ ...entry, action: 'role.granted', after: { role: 'Passport.Admin' } })).toEqual(['target', 'role'])
  expect(saidIn({ ...entry, action: 'bin.purged', before: { ids: ['a'] } })).toEqual([])
  const changed = { before: { email: 'a@x.example' }, after: { email: 'b@x.example' } }
  expect(saidIn({ ...entry, action: 'invitation.sent', ...changed })).toEqual([])
})
