import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SearchBox } from './SearchBox.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function show(value = '') {
  const onSearch = vi.fn()
  const shown = (value: string) => <SearchBox label="Search" placeholder="Name" value={value} onSearch={onSearch} />
  const { rerender } = render(shown(value))
  return { onSearch, become: (value: string) => rerender(shown(value)) }
}
const box = () => screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search' })
const type = (value: string) => fireEvent.change(box(), { target: { value } })
const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms))

test('what is typed is told once, 200 ms after the last letter', () => {
  const { onSearch } = show()
  type('a')
  pass(199)
  type('an')
  pass(199)
  expect(onSearch).not.toHaveBeenCalled()
  pass(1)
  expect(onSearch.mock.calls).toEqual([['an']])
})

test('Enter does not wait, and tells nothing twice', () => {
  const { onSearch } = show()
  type('ana')
  fireEvent.keyDown(box(), { key: 'Enter' })
  pass(1000)
  fireEvent.keyDown(box(), { key: 'Enter' })
  expect(onSearch.mock.calls).toEqual([['ana']])
})

test('what is searched for otherwise, as by Back, is shown; what is being typed wins over it', () => {
  const { become } = show('ana')
  expect(box().value).toBe('ana')
  become('bo')
  expect(box().value).toBe('bo')
  type('box')
  become('ana')
  expect(box().value).toBe('box')
})
