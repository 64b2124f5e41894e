import type { CurrentUser } from '@passport/contract/current-user'
import { describe, expect, test } from 'vitest'
import { ownPages } from './own-pages.ts'
import { destinationsFor, sectionsFor } from './role-pages.ts'

const person = (...roles: string[]): CurrentUser => ({
  claims: { sub: 'someone', idp: 'local', auth_time: 1 },
  roles,
  orgs: [],
})
const ada = person('Passport.Admin', 'Passport.Developer')
const adminSections = ['Directory', 'Access', 'Marketplace', 'System']

test.for([
  ['a stranger', null, []],
  ['a person without a role', person(), []],
  ['a developer', person('Passport.Developer'), ['Developer']],
  ['an admin', person('Passport.Admin'), adminSections],
  ['who is both', ada, [...adminSections, 'Developer']],
  ['a role by another spelling', person('passport.admin', 'Passport.Developers'), []],
] as const)('%s sees these sections', ([, user, titles]) => {
  expect(sectionsFor(user).map(({ title }) => title)).toEqual(titles)
})

test('a stranger can only jump home, and a person without a role to what is their own', () => {
  expect(destinationsFor(null).map(({ to }) => to)).toEqual(['/'])
  expect(destinationsFor(person())).toEqual(ownPages)
})

test('a section of one role leads nowhere that needs the other', () => {
  for (const { needs, pages } of sectionsFor(ada)) {
    const area = needs === 'Passport.Admin' ? /^\/admin\// : /^\/developer\//
    for (const { to } of pages) expect(to).toMatch(area)
  }
})

describe('of all destinations', () => {
  const all = destinationsFor(ada)
  const repeated = (values: (string | undefined)[]) =>
    values.filter((value, at) => value !== undefined && values.indexOf(value) !== at)

  test('none is there twice', () => {
    expect(repeated(all.map(({ to }) => to))).toEqual([])
  })

  test('none has the keys or the tile of another', () => {
    expect(repeated(all.map(({ keys }) => keys))).toEqual([])
    expect(repeated(all.map(({ tile }) => tile))).toEqual([])
  })

  test('each that has keys has g and one letter', () => {
    const keys = all.flatMap(({ keys }) => keys ?? [])
    expect(keys.length).toBeGreaterThan(5)
    for (const pair of keys) expect(pair).toMatch(/^g [a-z]$/)
  })

  test('each says in a few words what it is about', () => {
    for (const { label, about } of all) expect(`${label}: ${about}`).toMatch(/^\S.{1,20}: \S.{5,40}\S$/)
  })
})
