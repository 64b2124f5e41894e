import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SearchBox } from './SearchBox.tsx'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function show(value = '') {
  const onSearch = vi.fn()
  const searchBox = (value: string) => <SearchBox label="Search" placeholder="Name" value={value} onSearch={onSearch} />
  const { rerender } = render(searchBox(value))
  return { onSearch, become: (value: string) => rerender(searchBox(value)) }
}
const box = () => screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search' })
const typeText = (value: string) => fireEvent.change(box(), { target: { value } })
const advance = (ms: number) => act(() => void vi.advanceTimersByTime(ms))

test('reports typed text once, 200 ms after the last key', () => {
  const { onSearch } = show()
  typeText('a')
  advance(199)
  typeText('an')
  advance(199)
  expect(onSearch).not.toHaveBeenCalled()
  advance(1)
  expect(onSearch.mock.calls).toEqual([['an']])
})

test('Enter reports immediately and only once', () => {
  const { onSearch } = show()
  typeText('ana')
  fireEvent.keyDown(box(), { key: 'Enter' })
  advance(1000)
  fireEvent.keyDown(box(), { key: 'Enter' })
  expect(onSearch.mock.calls).toEqual([['ana']])
})

test('shows a changed search value, as after Back, unless typing is in progress', () => {
  const { become: showValue } = show('ana')
  expect(box().value).toBe('ana')
  showValue('bo')
  expect(box().value).toBe('bo')
  typeText('box')
  showValue('ana')
  expect(box().value).toBe('box')
})
