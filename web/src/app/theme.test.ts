import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import beforePaint from '../../public/theme.js?raw'
import { setTheme, useTheme } from './theme.ts'

const currentTheme = () => document.documentElement.dataset['theme']
/** Runs the script that precedes the first paint. */
const loadTheme = () => {
  delete document.documentElement.dataset['theme']
  new Function(beforePaint)()
}

beforeEach(() => {
  localStorage.clear()
  delete document.documentElement.dataset['theme']
})

test('follows the system until a theme is chosen', () => {
  const { result } = renderHook(useTheme)
  expect(result.current).toBe('system')
  expect(currentTheme()).toBeUndefined()
})

test.for(['light', 'dark'] as const)('%s applies immediately, everywhere and after a reload', (theme) => {
  const { result } = renderHook(useTheme)
  act(() => setTheme(theme))
  expect(result.current).toBe(theme)
  expect(currentTheme()).toBe(theme)
  loadTheme()
  expect(currentTheme()).toBe(theme)
})

test('is in a cookie for the pages of the server while one is chosen', () => {
  setTheme('dark')
  expect(document.cookie).toContain('passport-theme=dark')
  setTheme('system')
  expect(document.cookie).not.toContain('dark')
})

test('follows the system again when chosen, even after a reload', () => {
  const { result } = renderHook(useTheme)
  act(() => setTheme('dark'))
  act(() => setTheme('system'))
  expect(result.current).toBe('system')
  loadTheme()
  expect(currentTheme()).toBeUndefined()
})

test('ignores an unknown theme', () => {
  localStorage.setItem('passport.theme', 'sepia')
  loadTheme()
  expect(currentTheme()).toBeUndefined()
  document.documentElement.dataset['theme'] = 'sepia'
  expect(renderHook(useTheme).result.current).toBe('system')
})
