import { afterEach, expect, test, vi } from 'vitest'
import { loadChoice, storeChoice } from './stored-choice.ts'

afterEach(() => {
  vi.restoreAllMocks()
  localStorage.clear()
})

test('stores a choice in the browser until it is removed', () => {
  storeChoice('passport.x', 'dark')
  expect(loadChoice('passport.x')).toBe('dark')
  expect(localStorage.getItem('passport.x')).toBe('dark')
  storeChoice('passport.x', null)
  expect(loadChoice('passport.x')).toBeNull()
})

test('with blocked storage, keeps a choice until the page is left', () => {
  for (const method of ['getItem', 'setItem', 'removeItem'] as const)
    vi.spyOn(Storage.prototype, method).mockImplementation(() => {
      throw new DOMException('no', 'SecurityError')
    })
  expect(loadChoice('passport.y')).toBeNull()
  storeChoice('passport.y', 'off')
  expect(loadChoice('passport.y')).toBe('off')
  storeChoice('passport.y', null)
  expect(loadChoice('passport.y')).toBeNull()
})
