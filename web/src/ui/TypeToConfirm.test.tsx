import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { TypeToConfirm } from './TypeToConfirm.tsx'

test('enables the action only after the exact phrase is typed', async () => {
  const [onConfirm, onClose] = [vi.fn(), vi.fn()]
  render(
    <TypeToConfirm isOpen title="Delete group?" phrase="Night crew" action="Delete group" {...{ onConfirm, onClose }}>
      This cannot be undone.
    </TypeToConfirm>,
  )
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Delete group' })
  const field = screen.getByLabelText('Type Night crew to confirm')
  await userEvent.type(field, 'night crew{Enter}')
  expect(button.disabled).toBe(true)
  expect(onConfirm).not.toHaveBeenCalled()
  await userEvent.clear(field)
  await userEvent.type(field, 'Night crew')
  expect(button.disabled).toBe(false)
  await userEvent.click(button)
  expect(onConfirm).toHaveBeenCalledOnce()
  expect(onClose).not.toHaveBeenCalled()
})
