import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { Button, buttonClass } from './Button.tsx'

const button = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })

describe('a button', () => {
  test('is pressed with the mouse, with Enter and with the blank', async () => {
    const onClick = vi.fn()
    render(<Button onClick={onClick}>Save</Button>)
    await userEvent.click(button())
    await userEvent.keyboard('{Enter}')
    await userEvent.keyboard(' ')
    expect(onClick).toHaveBeenCalledTimes(3)
    expect(button().hasAttribute('aria-busy')).toBe(false)
  })

  test('does not send a form unless told to', async () => {
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
    ['that is disabled', { disabled: true }, false],
    ['whose work goes on', { isBusy: true }, true],
    ['whose work goes on, told not to be disabled', { isBusy: true, disabled: false }, true],
  ] as const)('%s is not pressed', async ([, props, isBusy]) => {
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

  test('keeps the classes that it is given beside its own', () => {
    render(
      <Button look="danger" isSmall className="mt-3">
        Save
      </Button>,
    )
    expect([...button().classList].sort()).toEqual(['btn', 'btn-danger', 'btn-small', 'mt-3'])
  })
})

test('a link may look like each of them', () => {
  expect(buttonClass()).toBe('btn')
  expect(buttonClass('primary')).toBe('btn btn-primary')
  expect(buttonClass('ghost', true)).toBe('btn btn-ghost btn-small')
})
