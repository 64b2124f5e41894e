import { actions } from '@passport/contract/audit'
import { expect, test } from 'vitest'
import { isTrouble, sentenceOf } from './activity.ts'

const names: Record<string, string> = { harbour: 'Harbour ID' }
const nameOf = (id: string) => names[id] ?? id
const happened = (
  action: string,
  { idp = null, reason = null }: { idp?: string | null; reason?: string | null } = {},
) => sentenceOf({ action, idp, reason }, nameOf)

test.for([
  ['signin.succeeded', { idp: 'harbour' }, 'Signed in through Harbour ID'],
  ['signin.succeeded', { idp: 'unheard-of' }, 'Signed in through unheard-of'],
  ['signin.succeeded', {}, 'Signed in through an identity provider'],
  ['signin.failed', { reason: 'state-mismatch-at-callback' }, 'Sign-in failed: state mismatch at callback'],
  ['signin.failed', {}, 'Sign-in failed'],
  ['login.linked', { idp: 'harbour' }, 'Linked a login at Harbour ID'],
  ['login.linked', {}, 'Linked a login at an identity provider'],
  ['session.revoked', {}, 'Ended a session'],
  ['something.new', { idp: 'harbour', reason: 'x' }, 'something.new'],
] as const)('%s with %j reads: %s', ([action, details, sentence]) => {
  expect(happened(action, details)).toBe(sentence)
})

/** Of which events the server tells a person. */
const [audit = ''] = Object.values(
  import.meta.glob<string>('../../../server/src/audit/store.ts', { eager: true, query: '?raw', import: 'default' }),
)
const [, list = ''] = audit.match(/const ofConcern = \[(.*)\]/) ?? []
const shown = [...list.matchAll(/'([\w.]+)%'/g)].map(([, prefix = '']) => prefix)

/** Recorded of a person of the directory and not of an account; and named, but not recorded by anything yet. */
const notTold = ['directory.password-set']

test('whatever the server tells a person of their account has a sentence', () => {
  const told = actions.filter(
    (action) => shown.some((prefix) => action.startsWith(prefix)) && !notTold.includes(action),
  )
  expect(told.length).toBeGreaterThan(5)
  expect(told.filter((action) => happened(action) === action)).toEqual([])
})

test.for([
  ['signin.failed', true],
  ['directory.locked', true],
  ['directory.password-refused', true],
  ['signin.succeeded', false],
  ['signout', false],
  ['login.unlinked', false],
] as const)('%s is trouble: %s', ([action, expected]) => {
  expect(isTrouble(action)).toBe(expected)
})
