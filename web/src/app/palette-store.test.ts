import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { closePalette, openPalette, useIsPaletteOpen } from './palette-store.ts'

test('notifies subscribers when the palette opens and closes', () => {
  const { result } = renderHook(useIsPaletteOpen)
  expect(result.current).toBe(false)
  act(openPalette)
  expect(result.current).toBe(true)
  act(closePalette)
  expect(result.current).toBe(false)
})
