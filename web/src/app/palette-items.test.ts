import type { CurrentUser } from '@passport/contract/current-user'
import { describe, expect, test } from 'vitest'
import { listItems, startsWords } from './palette-items.ts'

const createUser = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles,
  orgs: [],
})
const ada = createUser('Passport.Admin', 'Passport.Developer')
const matching = (user: CurrentUser, typed: string) =>
  listItems(user)
    .filter(({ label, words }) => startsWords(`${label} ${words}`, typed))
    .map(({ id }) => id)

const tools = '/admin/tools'
test.for([
  ['permission checker', `${tools}/permissions/check`],
  ['why does', `${tools}/permissions/check`],
  ['lookup', `${tools}/permissions/lookupResources`],
  ['who can', `${tools}/permissions/lookupSubjects`],
  ['what can you', `${tools}/permissions/lookupResources`],
  ['schema', `${tools}/permissions`],
  ['permission', `${tools}/permissions`],
  ['relationships', `${tools}/relations`],
  ['create user', '/admin/users/create'],
  ['new user', '/admin/users/create'],
  ['add group', '/admin/groups/create'],
  ['invite', '/admin/users/invitations/create'],
  ['pending', '/admin/users/invitations'],
  ['import', '/admin/users/import'],
  ['csv', '/admin/users/import'],
  ['people', '/admin/users'],
  ['organizations', '/admin/orgs'],
  ['bin', '/admin/trash'],
  ['restore', '/admin/trash'],
  ['health', '/admin/health'],
  ['status', '/admin/health'],
  ['latency', '/admin/health'],
  ['who did', '/admin/audit'],
  ['history', '/admin/audit'],
  ['dark', 'theme-dark'],
  ['theme', 'theme-light'],
  ['log out', 'sign-out'],
  ['logout', 'sign-out'],
  ['sign out', 'sign-out'],
  ['share', 'copy-link'],
  ['token', '/developer/tokens'],
  ['api key', '/developer/tokens'],
  ['api key', '/account/tokens'],
  ['password', '/account/logins'],
  ['settings', '/account/preferences'],
  ['my access', '/account/access'],
  ['avatar', '/account/profile'],
  ['hotkeys', 'shortcuts'],
  ['swagger', '/docs/api'],
  ['documentation', '/docs'],
  ['nginx', '/docs/behind-a-proxy'],
  ['first client', '/docs/your-first-client'],
] as const)('%s finds %s', ([typed, id]) => {
  expect(matching(ada, typed)).toContain(id)
})

describe('pages and commands', () => {
  test('are those of the roles of the user', () => {
    expect(matching(createUser(), 'token')).not.toContain('/developer/tokens')
    expect(matching(createUser('Passport.Developer'), 'create user')).toEqual([])
    expect(matching(createUser(), 'create group')).toEqual(['/account/groups/create'])
    expect(matching(ada, 'create group')).toEqual(['/admin/groups/create'])
  })

  test('have unique ids, and labels that differ', () => {
    for (const user of [ada, createUser(), createUser('Passport.Developer')])
      for (const values of [listItems(user).map(({ id }) => id), listItems(user).map(({ label }) => label)])
        expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([])
  })

  test('have search words and one effect each', () => {
    for (const { id, words, to, href, action } of listItems(ada)) {
      expect(words.length, id).toBeGreaterThan(2)
      expect(
        [to, href, action].filter((effect) => effect !== undefined),
        id,
      ).toHaveLength(1)
    }
  })
})

test.for([
  ['Sign-in and sessions', 'sign in', true],
  ['Sign-in and sessions', 'SESS sign', true],
  ['Señor Núñez', 'nun', true],
  ['Import users', 'port', false],
  ['Import users', 'import x', false],
  ['Import users', '?', false],
] as const)('in %s, %s begins a word: %s', ([text, typed, expected]) => {
  expect(startsWords(text, typed)).toBe(expected)
})
