import type { CurrentUser } from '@passport/contract/current-user'
import { describe, expect, test } from 'vitest'
import { descriptions } from './descriptions.ts'
import { findPlace, listDestinations, listSections, signedInPages } from './destinations.ts'

const createUser = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', idp_name: 'Passport', auth_time: 1 },
  roles,
  orgs: [],
})
const ada = createUser('Passport.Admin', 'Passport.Developer')
const adminSections = ['Directory', 'Permissions', 'Sign-in', 'Commerce', 'System']

test.for([
  ['a signed-out visitor', null, []],
  ['a user without a role', createUser(), []],
  ['a developer', createUser('Passport.Developer'), ['Developer']],
  ['an administrator', createUser('Passport.Admin'), adminSections],
  ['a user with both roles', ada, [...adminSections, 'Developer']],
  ['a differently spelled role', createUser('passport.admin', 'Passport.Developers'), []],
] as const)('the sections match the roles of %s', ([, user, titles]) => {
  expect(listSections(user).map(({ title }) => title)).toEqual(titles)
})

test('a user without roles can open only their own pages', () => {
  expect(listDestinations(createUser())).toEqual(signedInPages)
})

test('a section of one role has no page that needs the other', () => {
  for (const { needs, pages } of listSections(ada)) {
    const area = needs === 'Passport.Admin' ? /^\/admin\// : /^\/developer\//
    for (const { to } of pages) expect(to).toMatch(area)
  }
})

test.for([
  ['/', ['Home']],
  ['/account/logins', ['Account', 'Sign-in and sessions']],
  ['/admin/users/some-id/access', ['Directory', 'Users']],
  ['/admin/tools/permissions', ['Permissions', 'Schema']],
  ['/admin/tools/permissions/check', ['Permissions', 'Permission checker']],
  ['/admin/tools/permissions/lookupSubjects', ['Permissions', 'Lookup']],
  ['/admin/tools/tenantDiscovery', ['Sign-in', 'Tenant discovery']],
  ['/developer/', ['Developer', 'Overview']],
  ['/developer/tokens', ['Developer', 'Developer tokens']],
  ['/notfound', []],
] as const)('%s belongs to %j', ([path, names]) => {
  const place = findPlace(ada, path)
  expect([place?.section, place?.page.label].filter(Boolean)).toEqual(names)
})

test('a path of a role that the user lacks belongs nowhere', () => {
  expect(findPlace(createUser(), '/admin/users')).toBeUndefined()
})

describe('destinations', () => {
  const all = listDestinations(ada)
  const repeated = (values: (string | undefined)[]) =>
    values.filter((value, index) => value !== undefined && values.indexOf(value) !== index)

  test('have unique paths', () => {
    expect(repeated(all.map(({ to }) => to))).toEqual([])
  })

  test('have unique keys', () => {
    expect(repeated(all.map(({ keys }) => keys))).toEqual([])
  })

  test('have two-key shortcuts that start with g', () => {
    const keys = all.flatMap(({ keys }) => keys ?? [])
    expect(keys.length).toBeGreaterThan(5)
    for (const pair of keys) expect(pair).toMatch(/^g [a-z]$/)
  })

  test('have a short description', () => {
    for (const { label, to } of all) expect(`${label}: ${descriptions[to]}`).toMatch(/^\S.{1,20}: \S.{5,40}\S$/)
  })
})
