import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { Field } from './Field.tsx'

const input = (label = 'Name') => screen.getByLabelText<HTMLInputElement>(label)
const describedText = () => document.getElementById(input().getAttribute('aria-describedby') ?? '')?.textContent

describe('Field', () => {
  test('gets focus through its label and accepts typing', async () => {
    const onChange = vi.fn()
    render(<Field label="Name" placeholder="Ada" required onChange={onChange} />)
    await userEvent.click(screen.getByText('Name'))
    expect(document.activeElement).toBe(input())
    await userEvent.keyboard('Eve')
    expect(input().value).toBe('Eve')
    expect(onChange).toHaveBeenCalledTimes(3)
    expect(input()).toMatchObject({ placeholder: 'Ada', required: true })
  })

  test('has no description without a hint or an error', () => {
    render(<Field label="Name" />)
    expect(input().hasAttribute('aria-describedby')).toBe(false)
    expect(input().hasAttribute('aria-invalid')).toBe(false)
  })

  test('is described by its hint', () => {
    render(<Field label="Name" hint="As on your passport" />)
    expect(describedText()).toBe('As on your passport')
    expect(input().hasAttribute('aria-invalid')).toBe(false)
  })

  test('with an error is invalid and described by the error until it is cleared', () => {
    const { rerender } = render(<Field label="Name" hint="As on your passport" error="A name has no digits" />)
    expect(describedText()).toBe('A name has no digits')
    expect(input().getAttribute('aria-invalid')).toBe('true')
    expect(screen.queryByText('As on your passport')).toBeNull()
    rerender(<Field label="Name" hint="As on your passport" error={undefined} />)
    expect(describedText()).toBe('As on your passport')
    expect(input().hasAttribute('aria-invalid')).toBe(false)
  })

  test('keeps the typed text and the focus when an error appears', async () => {
    const { rerender } = render(<Field label="Name" />)
    await userEvent.type(input(), 'Ev3')
    rerender(<Field label="Name" error="A name has no digits" />)
    expect(document.activeElement).toBe(input())
    expect(input().value).toBe('Ev3')
  })

  test('keeps its name when the label is hidden', () => {
    render(<Field label="Name" isLabelHidden />)
    expect(screen.getByRole('textbox', { name: 'Name' })).toBe(input())
    expect(screen.getByText('Name').className).toBe('sr-only')
  })

  test('has its own description beside a field with the same label', () => {
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
