import { actions } from '@passport/contract/audit'
import { expect, test } from 'vitest'
import { formatActivity, needsAttention } from './activity.ts'

const format = (
  action: string,
  { idpName = null, reason = null }: { idpName?: string | null; reason?: string | null } = {},
) => formatActivity({ action, idpName, reason })

test.for([
  ['signin.succeeded', { idpName: 'Harbour ID' }, 'Signed in with Harbour ID'],
  ['signin.succeeded', {}, 'Signed in with an identity provider'],
  ['signin.failed', { reason: 'state-mismatch-at-callback' }, 'Sign-in failed: state mismatch at callback'],
  ['signin.failed', {}, 'Sign-in failed'],
  ['login.linked', { idpName: 'Harbour ID' }, 'Linked a login at Harbour ID'],
  ['login.linked', {}, 'Linked a login at an identity provider'],
  ['session.revoked', {}, 'Ended a session'],
  ['something.new', { idpName: 'Harbour ID', reason: 'x' }, 'something.new'],
] as const)('formats %s with %j as: %s', ([action, details, sentence]) => {
  expect(format(action, details)).toBe(sentence)
})

/** The events that the server shows to a user. */
const [audit = ''] = Object.values(
  import.meta.glob<string>('../../../server/src/audit/store.ts', { eager: true, query: '?raw', import: 'default' }),
)
const [, list = ''] = audit.match(/const activityPatterns = \[(.*?)\]/s) ?? []
const shownPrefixes = [...list.matchAll(/'([\w.-]+)%'/g)].map(([, prefix = '']) => prefix)

/** The target of these events is never a user with activity: it is a user of the directory, or an application. */
const excludedActions = [
  'directory.password-set',
  'directory.signed-up',
  'directory.sign-up-stopped',
  'client.created',
  'client.changed',
  'client.deleted',
  'client.secret-created',
  'client.secret-deleted',
]

test('has a sentence for every event the server shows to a user', () => {
  const shownActions = actions.filter(
    (action) => shownPrefixes.some((prefix) => action.startsWith(prefix)) && !excludedActions.includes(action),
  )
  expect(shownActions.length).toBeGreaterThan(5)
  expect(shownActions.filter((action) => format(action) === action)).toEqual([])
})

test.for([
  ['signin.failed', true],
  ['directory.locked', true],
  ['directory.guesses-stopped', true],
  ['directory.password-refused', true],
  ['connection.moved', true],
  ['connection.removed', false],
  ['signin.succeeded', false],
  ['signout', false],
  ['login.unlinked', false],
] as const)('needsAttention(%s) is %s', ([action, expected]) => {
  expect(needsAttention(action)).toBe(expected)
})
