import { act, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { MaskedToken } from './MaskedToken.tsx'

const onClear = vi.fn()
const field = () => screen.getByLabelText<HTMLInputElement>('Access Token')
const button = (name: string) => screen.getByRole('button', { name })

beforeEach(() => {
  onClear.mockReset()
  render(<MaskedToken token="abc.def" onClear={onClear} />)
})

test('is masked, read-only, and excluded from password managers', () => {
  expect(field().type).toBe('password')
  expect(field().value).toBe('abc.def')
  expect(field().readOnly).toBe(true)
  expect(field().autocomplete).toBe('off')
})

test('is revealed and hidden again, with the state on the button', async () => {
  expect(button('Reveal').getAttribute('aria-pressed')).toBe('false')
  await userEvent.click(button('Reveal'))
  expect(field().type).toBe('text')
  expect(button('Hide').getAttribute('aria-pressed')).toBe('true')
  await userEvent.click(button('Hide'))
  expect(field().type).toBe('password')
})

test('is hidden when the window or tab loses focus', async () => {
  for (const leave of [() => fireEvent.blur(window), () => fireEvent(document, new Event('visibilitychange'))]) {
    await userEvent.click(button('Reveal'))
    act(() => void leave())
    expect(field().type).toBe('password')
    expect(button('Reveal').getAttribute('aria-pressed')).toBe('false')
  }
})

test('can be copied while masked', async () => {
  const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
  await userEvent.click(button('Copy'))
  expect(write).toHaveBeenCalledExactlyOnceWith('abc.def')
  expect(await screen.findByText('Copied')).toBeDefined()
  expect(field().type).toBe('password')
  write.mockRestore()
})

test('is cleared only by its button', async () => {
  await userEvent.click(button('Clear'))
  expect(onClear).toHaveBeenCalledOnce()
})
