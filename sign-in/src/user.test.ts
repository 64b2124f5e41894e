import { expect, test, vi } from 'vitest'
import { addClaims, readUser, toProfile, User, writeUser } from './user.ts'

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

test('a stored user has eight fields, with expires_at in seconds, and is read back unchanged', () => {
  const stored = writeUser(new User({ ...fields, state: 'not stored' }))
  expect(JSON.parse(stored)).toEqual(fields)
  expect(Object.keys(JSON.parse(stored))).toHaveLength(8)
  expect(readUser(stored)).toEqual(new User(fields))
})

test('computes expires_in and expired from the clock', () => {
  vi.useFakeTimers({ now: 1_799_999_940_500 })
  const user = new User(fields)
  expect([user.expires_in, user.expired]).toEqual([60, false])
  vi.setSystemTime(1_800_000_000_000)
  expect([user.expires_in, user.expired]).toEqual([0, true])
  const revoked = new User({ ...fields, expires_at: null })
  expect([revoked.expires_in, revoked.expired]).toEqual([undefined, undefined])
  vi.useRealTimers()
})

test('scopes lists the values of scope', () => {
  expect(new User(fields).scopes).toEqual(['openid', 'profile'])
  expect(new User({ profile: { sub: 'ada' } }).scopes).toEqual([])
})

test.each([
  ['a missing user', null],
  ['the JSON value null', 'null'],
  ['a JSON string', '"user"'],
  ['truncated JSON', '{"profile":{"sub":'],
  ['a user without a subject', '{"profile":{}}'],
])('reads %s as null', (_, stored) => {
  expect(readUser(stored)).toBeNull()
})

test('the profile omits the eight protocol claims of the ID token, unless filtering is disabled', () => {
  const profileClaims = {
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
  const protocolClaims = {
    nonce: 'n',
    at_hash: 'a',
    iat: 1,
    nbf: 1,
    exp: 2,
    aud: 'app',
    iss: 'https://op',
    c_hash: 'c',
  }
  const claims = { ...profileClaims, ...protocolClaims }
  expect(toProfile(claims)).toEqual(profileClaims)
  expect(toProfile(claims, false)).toEqual(claims)
})

test.each([
  ['adds a new claim', {}, { name: 'Ada' }, { name: 'Ada' }],
  ['keeps an equal claim', { name: 'Ada' }, { name: 'Ada' }, { name: 'Ada' }],
  ['combines different values in a list', { name: 'Ada' }, { name: 'Ada Quist' }, { name: ['Ada', 'Ada Quist'] }],
  ['adds missing values to a list', { roles: ['a', 'b'] }, { roles: ['b', 'c'] }, { roles: ['a', 'b', 'c'] }],
  ['unwraps a list of one value', {}, { roles: ['a'] }, { roles: 'a' }],
  ['replaces an empty value', { name: '' }, { name: 'Ada' }, { name: 'Ada' }],
  ['combines objects in a list', { at: { x: 1 } }, { at: { y: 2 } }, { at: [{ x: 1 }, { y: 2 }] }],
])('addClaims %s', (_, existing, userInfo, expected) => {
  expect(addClaims({ sub: 'ada', ...existing }, userInfo, false)).toEqual({ sub: 'ada', ...expected })
})

test('addClaims merges objects with mergeObjects', () => {
  const merged = addClaims({ sub: 'ada', at: { x: 1, z: 'a' } }, { at: { y: 2, z: 'b' } }, true)
  expect(merged).toEqual({ sub: 'ada', at: { x: 1, y: 2, z: ['a', 'b'] } })
})

test('addClaims keeps the claims that renewals are compared with', () => {
  const profile = { sub: 'ada', auth_time: 1, azp: 'app', sid: 'session-1' }
  expect(addClaims(profile, { sub: 'eve', auth_time: 2, azp: 'other', sid: 'session-2' }, false)).toEqual(profile)
})
