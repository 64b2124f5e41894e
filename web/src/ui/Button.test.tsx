import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { Button, buttonClass } from './Button.tsx'

const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })

describe('Button', () => {
  test('is pressed with the mouse, with Enter and with Space', async () => {
    const onClick = vi.fn()
    render(<Button onClick={onClick}>Save</Button>)
    await userEvent.click(button())
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard(' ')
    expect(onClick).toHaveBeenCalledTimes(3)
    expect(button().hasAttribute('aria-busy')).toBe(false)
  })

  test('does not submit a form by default', async () => {
    const onSubmit = vi.fn((event: React.SubmitEvent) => event.preventDefault())
    const form = (type?: 'submit') => (
      <form onSubmit={onSubmit}>
        <Button {...(type && { type })}>Save</Button>
      </form>
    )
    const { rerender } = render(form())
    await userEvent.click(button())
    expect(onSubmit).not.toHaveBeenCalled()
    rerender(form('submit'))
    await userEvent.click(button())
    expect(onSubmit).toHaveBeenCalledOnce()
  })

  test.for([
    ['disabled', { disabled: true }, false],
    ['busy', { isBusy: true }, true],
    ['busy and explicitly not disabled', { isBusy: true, disabled: false }, true],
  ] as const)('ignores presses when %s', async ([, props, isBusy]) => {
    const onClick = vi.fn()
    render(
      <Button {...props} onClick={onClick}>
        Save
      </Button>,
    )
    await userEvent.click(button())
    expect(onClick).not.toHaveBeenCalled()
    expect(button().disabled).toBe(true)
    expect(button().getAttribute('aria-busy')).toBe(isBusy ? 'true' : null)
  })

  test('shows a spinner in place of its icon while busy, and keeps the label', () => {
    const { rerender } = render(
      <Button>
        <svg data-testid="icon" />
        Save
      </Button>,
    )
    expect(screen.getByTestId('icon')).toBeDefined()
    rerender(
      <Button isBusy>
        <svg data-testid="icon" />
        Save
      </Button>,
    )
    expect(screen.queryByTestId('icon')).toBeNull()
    expect(button().textContent).toBe('Save')
    expect(button().querySelectorAll('.animate-spin')).toHaveLength(1)
    rerender(<Button isBusy>Save</Button>)
    expect(button().querySelectorAll('.animate-spin')).toHaveLength(1)
  })

  test('keeps the class names passed to it beside its own', () => {
    render(
      <Button variant="danger" isSmall className="mt-3">
        Save
      </Button>,
    )
    expect([...button().classList].sort()).toEqual(['btn', 'btn-danger', 'btn-small', 'mt-3'])
  })
})

test('buttonClass returns the classes of each look', () => {
  expect(buttonClass()).toBe('btn')
  expect(buttonClass('primary')).toBe('btn btn-primary')
  expect(buttonClass('ghost', true)).toBe('btn btn-ghost btn-small')
})
