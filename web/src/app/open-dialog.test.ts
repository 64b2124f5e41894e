import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { closeDialog, openPalette, openShortcuts, useOpenDialog } from './open-dialog.ts'

test('notifies subscribers when a dialog opens, replaces another and closes', () => {
  const { result } = renderHook(useOpenDialog)
  expect(result.current).toBeUndefined()
  act(openPalette)
  expect(result.current).toBe('palette')
  act(openShortcuts)
  expect(result.current).toBe('shortcuts')
  act(() => closeDialog('palette'))
  expect(result.current).toBe('shortcuts')
  act(() => closeDialog('shortcuts'))
  expect(result.current).toBeUndefined()
})
