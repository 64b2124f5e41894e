import { act, renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { showRouteTitle, showTitle, usePageLabel } from './page-title.ts'

test('a route has its title in the window and in sentence case on the page; a record has its name in both', () => {
  const { result } = renderHook(usePageLabel)
  act(() => showRouteTitle('Invite by Email'))
  expect([document.title, result.current]).toEqual(['Invite by Email | Stage Passport', 'Invite by email'])
  act(() => showTitle('Ana Abara'))
  expect([document.title, result.current]).toEqual(['Ana Abara | Stage Passport', 'Ana Abara'])
  act(() => showRouteTitle(undefined))
  expect([document.title, result.current]).toEqual(['Stage Passport', ''])
})
