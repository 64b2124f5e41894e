import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { Field } from './Field.tsx'

const input = (label = 'Name') => screen.getByLabelText<HTMLInputElement>(label)
const told = () => document.getElementById(input().getAttribute('aria-describedby') ?? '')?.textContent

describe('a field', () => {
  test('is reached through its label and typed into', async () => {
    const onChange = vi.fn()
    render(<Field label="Name" placeholder="Ada" required onChange={onChange} />)
    await userEvent.click(screen.getByText('Name'))
    expect(document.activeElement).toBe(input())
    await userEvent.keyboard('Eve')
    expect(input().value).toBe('Eve')
    expect(onChange).toHaveBeenCalledTimes(3)
    expect(input()).toMatchObject({ placeholder: 'Ada', required: true })
  })

  test('with nothing to tell is described by nothing', () => {
    render(<Field label="Name" />)
    expect(input().hasAttribute('aria-describedby')).toBe(false)
    expect(input().hasAttribute('aria-invalid')).toBe(false)
  })

  test('is described by its hint', () => {
    render(<Field label="Name" hint="As on your passport" />)
    expect(told()).toBe('As on your passport')
    expect(input().hasAttribute('aria-invalid')).toBe(false)
  })

  test('with an error is invalid and described by that, until it is none', () => {
    const { rerender } = render(<Field label="Name" hint="As on your passport" error="A name has no digits" />)
    expect(told()).toBe('A name has no digits')
    expect(input().getAttribute('aria-invalid')).toBe('true')
    expect(screen.queryByText('As on your passport')).toBeNull()
    rerender(<Field label="Name" hint="As on your passport" error={undefined} />)
    expect(told()).toBe('As on your passport')
    expect(input().hasAttribute('aria-invalid')).toBe(false)
  })

  test('keeps what was typed and the focus when an error comes', async () => {
    const { rerender } = render(<Field label="Name" />)
    await userEvent.type(input(), 'Ev3')
    rerender(<Field label="Name" error="A name has no digits" />)
    expect(document.activeElement).toBe(input())
    expect(input().value).toBe('Ev3')
  })

  test('has its name also where the label is not shown', () => {
    render(<Field label="Name" isLabelHidden />)
    expect(screen.getByRole('textbox', { name: 'Name' })).toBe(input())
    expect(screen.getByText('Name').className).toBe('sr-only')
  })

  test('is not mixed up with another of the same label', () => {
    render(
      <>
        <Field label="Key" error="first" />
        <Field label="Key" error="second" />
      </>,
    )
    const described = screen.getAllByLabelText('Key').map((field) => field.getAttribute('aria-describedby'))
    expect(new Set(described).size).toBe(2)
  })
})
