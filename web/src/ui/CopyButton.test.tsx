import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CopyButton } from './CopyButton.tsx'

const copiedTexts: string[] = []
const button = () => screen.getByRole('button', { name: 'Copy your id' })
const pressButton = () => act(async () => void fireEvent.click(button()))

beforeEach(() => {
  copiedTexts.length = 0
  vi.useFakeTimers()
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void copiedTexts.push(text))
  render(<CopyButton text="0192f0c1" label="Copy your id" />)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

test('copies its text and announces it politely for two seconds', async () => {
  const status = button().querySelector('[aria-live=polite]')
  expect(status?.textContent).toBe('')
  await pressButton()
  expect(copiedTexts).toEqual(['0192f0c1'])
  expect(status?.textContent).toBe('Copied')
  act(() => void vi.advanceTimersByTime(1999))
  expect(status?.textContent).toBe('Copied')
  act(() => void vi.advanceTimersByTime(1))
  expect(status?.textContent).toBe('')
})

test('shows an error instead of “Copied” if clipboard access is denied', async () => {
  vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'))
  await pressButton()
  expect(button().querySelector('[aria-live=polite]')?.textContent).toBe('')
  vi.useRealTimers()
  expect(await screen.findByText("Couldn't copy: allow clipboard access in your browser")).toBeDefined()
})

test('keeps its name after a copy and can copy again', async () => {
  await pressButton()
  await pressButton()
  expect(copiedTexts).toHaveLength(2)
  expect(button()).toBeDefined()
})
