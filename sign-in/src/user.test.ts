import { expect, test, vi } from 'vitest'
import { addClaims, profileOf, readUser, User, writeUser } from './user.ts'

const fields = {
  id_token: 'an.id.token',
  session_state: 'state-1',
  access_token: 'opaque',
  refresh_token: 'again',
  token_type: 'Bearer',
  scope: 'openid profile',
  profile: { sub: 'ada', name: 'Ada Quist', auth_time: 1_700_000_000, azp: 'app', sid: 'session-1' },
  expires_at: 1_800_000_000,
}

test('E1 a user is stored as eight fields, expires_at in seconds, and comes back whole', () => {
  const stored = writeUser(new User({ ...fields, state: 'not stored' }))
  expect(JSON.parse(stored)).toEqual(fields)
  expect(Object.keys(JSON.parse(stored))).toHaveLength(8)
  expect(readUser(stored)).toEqual(new User(fields))
})

test('E1 expires_in is counted from the clock, and is not stored', () => {
  vi.useFakeTimers({ now: 1_799_999_940_500 })
  const user = new User(fields)
  expect([user.expires_in, user.expired]).toEqual([60, false])
  vi.setSystemTime(1_800_000_000_000)
  expect([user.expires_in, user.expired]).toEqual([0, true])
  const revoked = new User({ ...fields, expires_at: null })
  expect([revoked.expires_in, revoked.expired]).toEqual([undefined, undefined])
  vi.useRealTimers()
})

test('E1 scopes are the words of scope', () => {
  expect(new User(fields).scopes).toEqual(['openid', 'profile'])
  expect(new User({ profile: { sub: 'ada' } }).scopes).toEqual([])
})

test.each([
  ['nothing', null],
  ['null', 'null'],
  ['a word', '"user"'],
  ['half of one', '{"profile":{"sub":'],
  ['one without a subject', '{"profile":{}}'],
])('E1 %s in the store is no user', (_, stored) => {
  expect(readUser(stored)).toBeNull()
})

test('E3 the profile has the claims of the ID token without the eight of the protocol', () => {
  const kept = {
    sub: 'ada',
    name: 'Ada Quist',
    preferred_username: 'ada',
    auth_time: 1,
    azp: 'app',
    sid: 'session-1',
    session_state: 'state-1',
    acr: '0',
    jti: 'id',
  }
  const ofTheProtocol = { nonce: 'n', at_hash: 'a', iat: 1, nbf: 1, exp: 2, aud: 'app', iss: 'https://op', c_hash: 'c' }
  expect(profileOf({ ...kept, ...ofTheProtocol })).toEqual(kept)
})

test.each([
  ['a new claim is added', {}, { name: 'Ada' }, { name: 'Ada' }],
  ['an equal one stays', { name: 'Ada' }, { name: 'Ada' }, { name: 'Ada' }],
  ['a different one makes a list of both', { name: 'Ada' }, { name: 'Ada Quist' }, { name: ['Ada', 'Ada Quist'] }],
  ['what a list lacks is added to it', { roles: ['a', 'b'] }, { roles: ['b', 'c'] }, { roles: ['a', 'b', 'c'] }],
  ['a list of one is its one', {}, { roles: ['a'] }, { roles: 'a' }],
  ['an empty one is replaced', { name: '' }, { name: 'Ada' }, { name: 'Ada' }],
  ['objects make a list of both', { at: { x: 1 } }, { at: { y: 2 } }, { at: [{ x: 1 }, { y: 2 }] }],
])('E4 from user-info: %s', (_, known, told, expected) => {
  expect(addClaims({ sub: 'ada', ...known }, told, false)).toEqual({ sub: 'ada', ...expected })
})

test('E4 objects are merged where mergeClaims says so', () => {
  const merged = addClaims({ sub: 'ada', at: { x: 1, z: 'a' } }, { at: { y: 2, z: 'b' } }, true)
  expect(merged).toEqual({ sub: 'ada', at: { x: 1, y: 2, z: ['a', 'b'] } })
})

test('E4 user-info cannot touch what renewals are held against', () => {
  const profile = { sub: 'ada', auth_time: 1, azp: 'app', sid: 'session-1' }
  expect(addClaims(profile, { sub: 'eve', auth_time: 2, azp: 'other', sid: 'session-2' }, false)).toEqual(profile)
})
