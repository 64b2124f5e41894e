import { afterEach, expect, test, vi } from 'vitest'
import { remember, remembered } from './remembered.ts'

afterEach(() => {
  vi.restoreAllMocks()
  localStorage.clear()
})

test('a choice is remembered by the browser until it is forgotten', () => {
  remember('passport.x', 'dark')
  expect(remembered('passport.x')).toBe('dark')
  expect(localStorage.getItem('passport.x')).toBe('dark')
  remember('passport.x', null)
  expect(remembered('passport.x')).toBeNull()
})

test('where storage is forbidden a choice holds until the page is left', () => {
  for (const method of ['getItem', 'setItem', 'removeItem'] as const)
    vi.spyOn(Storage.prototype, method).mockImplementation(() => {
      throw new DOMException('no', 'SecurityError')
    })
  expect(remembered('passport.y')).toBeNull()
  remember('passport.y', 'off')
  expect(remembered('passport.y')).toBe('off')
  remember('passport.y', null)
  expect(remembered('passport.y')).toBeNull()
})
