import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CopyButton } from './CopyButton.tsx'

const written: string[] = []
const button = () => screen.getByRole('button', { name: 'Copy your id' })
const press = () => act(async () => void fireEvent.click(button()))

beforeEach(() => {
  written.length = 0
  vi.useFakeTimers()
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void written.push(text))
  render(<CopyButton text="0192f0c1" label="Copy your id" />)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('copies its text and says so, politely, for two seconds', async () => {
  const told = button().querySelector('[aria-live=polite]')
  expect(told?.textContent).toBe('')
  await press()
  expect(written).toEqual(['0192f0c1'])
  expect(told?.textContent).toBe('Copied')
  act(() => void vi.advanceTimersByTime(1999))
  expect(told?.textContent).toBe('Copied')
  act(() => void vi.advanceTimersByTime(1))
  expect(told?.textContent).toBe('')
})

test('that may not copy says so, and does not claim that it did', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  await press()
  expect(button().querySelector('[aria-live=polite]')?.textContent).toBe('')
  vi.useRealTimers()
  expect(await screen.findByText('This browser does not allow copying here')).toBeDefined()
})

test('has its name throughout, and copies again', async () => {
  await press()
  await press()
  expect(written).toHaveLength(2)
  expect(button()).toBeDefined()
})
