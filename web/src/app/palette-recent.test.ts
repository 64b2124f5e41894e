import { beforeEach, expect, test } from 'vitest'
import { recentPages, rememberPage } from './palette-recent.ts'

beforeEach(() => localStorage.clear())

test('the pages of the last jumps are remembered, the last one first and each once', () => {
  for (const path of ['/a', '/b', '/a', '/c']) rememberPage(path)
  expect(recentPages()).toEqual(['/c', '/a', '/b'])
})

test('no more than five are', () => {
  for (const path of ['/1', '/2', '/3', '/4', '/5', '/6']) rememberPage(path)
  expect(recentPages()).toEqual(['/6', '/5', '/4', '/3', '/2'])
})

test.for([
  ['nothing', null, []],
  ['no JSON', '{', []],
  ['something else', '{"a":1}', []],
  ['null', 'null', []],
  ['a list with more than paths in it', '["/a", 1, null, "/b"]', ['/a', '/b']],
] as const)('what is stored may be %s', ([, stored, expected]) => {
  if (stored !== null) localStorage.setItem('passport.recent', stored)
  expect(recentPages()).toEqual(expected)
})
