import { act, renderHook } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import beforePaint from '../../public/theme.js?raw'
import { setTheme, useTheme } from './theme.ts'

const chosen = () => document.documentElement.dataset['theme']
/** What the document does before anything is painted. */
const load = () => {
  delete document.documentElement.dataset['theme']
  new Function(beforePaint)()
}

beforeEach(() => {
  localStorage.clear()
  delete document.documentElement.dataset['theme']
})

test('the system decides until a theme is chosen', () => {
  const { result } = renderHook(useTheme)
  expect(result.current).toBe('system')
  expect(chosen()).toBeUndefined()
})

test.for(['light', 'dark'] as const)('%s holds at once, everywhere, and after the page is loaded anew', (theme) => {
  const { result } = renderHook(useTheme)
  act(() => setTheme(theme))
  expect(result.current).toBe(theme)
  expect(chosen()).toBe(theme)
  load()
  expect(chosen()).toBe(theme)
})

test('the system decides again when that is chosen, also after the page is loaded anew', () => {
  const { result } = renderHook(useTheme)
  act(() => setTheme('dark'))
  act(() => setTheme('system'))
  expect(result.current).toBe('system')
  load()
  expect(chosen()).toBeUndefined()
})

test('a theme that is not one is none', () => {
  localStorage.setItem('passport.theme', 'sepia')
  load()
  expect(chosen()).toBeUndefined()
  document.documentElement.dataset['theme'] = 'sepia'
  expect(renderHook(useTheme).result.current).toBe('system')
})
