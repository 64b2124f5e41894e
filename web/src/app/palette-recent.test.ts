import { beforeEach, expect, test } from 'vitest'
import { readRecentPages, rememberPage } from './palette-recent.ts'

beforeEach(() => localStorage.clear())

test('remembers recent pages, newest first and without duplicates', () => {
  for (const path of ['/a', '/b', '/a', '/c']) rememberPage(path)
  expect(readRecentPages()).toEqual(['/c', '/a', '/b'])
})

test('remembers at most five pages', () => {
  for (const path of ['/1', '/2', '/3', '/4', '/5', '/6']) rememberPage(path)
  expect(readRecentPages()).toEqual(['/6', '/5', '/4', '/3', '/2'])
})

test.for([
  ['nothing', null, []],
  ['invalid JSON', '{', []],
  ['another value', '{"a":1}', []],
  ['null', 'null', []],
  ['a list with more than paths', '["/a", 1, null, "/b"]', ['/a', '/b']],
] as const)('tolerates %s in storage', ([, stored, expected]) => {
  if (stored !== null) localStorage.setItem('passport.recent', stored)
  expect(readRecentPages()).toEqual(expected)
})
