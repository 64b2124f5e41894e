import { type AuditEntry, actions } from '@passport/contract/audit'
import { expect, test } from 'vitest'
import { findCoveredNames, formatPieces, sentences } from './sentences.ts'

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
  pictures: {},
  supportCode: null,
}
const formatText = (part: Partial<AuditEntry>) =>
  formatPieces({ ...entry, ...part })
    .map((piece) => (typeof piece === 'string' ? piece : piece.name))
    .join('')

test("has a sentence for exactly the server's actions", () => {
  expect(Object.keys(sentences).sort()).toEqual([...actions].sort())
})

test.for(actions)('formats %s without gaps', (action) => {
  for (const actor of [ada, null])
    for (const target of [entry.target, { kind: 'audit', id: null, name: null }]) {
      const text = formatText({ action, actor, target })
      expect(text).not.toMatch(/[{}]|undefined|null| {2}/)
      expect(text.length).toBeGreaterThan(8)
    }
})

test.for<[string, Partial<AuditEntry>]>([
  ['Ada disabled Eve', { action: 'user.disabled' }],
  ['Ada added the role Passport.Admin to Eve', { action: 'role.granted', after: { role: 'Passport.Admin' } }],
  ['Ada removed the role Passport.Admin from Eve', { action: 'role.taken', before: { role: 'Passport.Admin' } }],
  ['Ada edited the profile of Eve', { action: 'profile.changed' }],
  ['Ada changed the avatar of Eve', { action: 'profile.avatar-changed' }],
  ['Ada archived an avatar of Eve from Ready Player Me', { action: 'profile.avatar-archived' }],
  ['Ada changed their own avatar', { action: 'profile.avatar-changed', target: { kind: 'user', ...ada } }],
  ['Ada edited their own profile', { action: 'profile.changed', target: { kind: 'user', ...ada } }],
  ['Ada ended a session of Eve', { action: 'session.revoked' }],
  ['Ada ended a session', { action: 'session.revoked', target: { kind: 'user', ...ada } }],
  ['Ada deleted the group g1', { action: 'group.deleted', target: { kind: 'group', id: 'g1', name: null } }],
  ['Ada invited bo@x.example', { action: 'invitation.sent', after: { email: 'bo@x.example' } }],
  ['Passport deleted 12 expired events', { action: 'audit.purged', actor: null, after: { events: 12 } }],
  [
    'Passport permanently deleted records from the trash: 2',
    { action: 'trash.purged', actor: null, before: { ids: ['a', 'b'] } },
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
  [
    'Ada saved the preference Shop.Theme/Dark',
    { action: 'preference.saved', target: { kind: 'preference', id: 'u1/Shop.Theme/Dark', name: null } },
  ],
  ['Wrong password entered for Eve', { action: 'directory.password-refused', actor: null }],
  [
    'Wrong password entered for an unknown username',
    { action: 'directory.password-refused', actor: null, target: { kind: 'directory-person', id: null, name: null } },
  ],
  ['Eve locked for 15 minutes after too many wrong passwords', { action: 'directory.locked', actor: null }],
  [
    'Passport rotated the signing keys',
    { action: 'key.rotated', actor: null, target: { kind: 'key', id: 'k1', name: null } },
  ],
  ['Sign-in failed', { action: 'signin.failed', actor: null }],
  ['Ada performed “thing.new” on Eve', { action: 'thing.new' }],
])('%s', ([sentence, part]) => {
  expect(formatText(part)).toBe(sentence)
})

test('findCoveredNames returns the values in the sentence, except lists and changes', () => {
  expect(findCoveredNames({ ...entry, action: 'role.granted', after: { role: 'Passport.Admin' } })).toEqual([
    'role',
    'target',
  ])
  expect(findCoveredNames({ ...entry, action: 'trash.purged', before: { ids: ['a'] } })).toEqual([])
  const changed = { before: { email: 'a@x.example' }, after: { email: 'b@x.example' } }
  expect(findCoveredNames({ ...entry, action: 'invitation.sent', ...changed })).toEqual([])
  expect(findCoveredNames({ ...entry, action: 'profile.avatar-changed' })).toEqual(['pngHash', 'glbHash'])
})
