import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { closePalette, openPalette, useIsPaletteOpen } from './palette-store.ts'

test('whoever shows the palette hears when it is opened and closed', () => {
  const { result } = renderHook(useIsPaletteOpen)
  expect(result.current).toBe(false)
  act(openPalette)
  expect(result.current).toBe(true)
  act(closePalette)
  expect(result.current).toBe(false)
})
