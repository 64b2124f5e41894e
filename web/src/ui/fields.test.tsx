import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { Check } from './Check.tsx'
import { Select } from './Select.tsx'
import { Status } from './Status.tsx'
import { TextArea } from './TextArea.tsx'

const describedText = (control: Element) =>
  document.getElementById(control.getAttribute('aria-describedby') ?? '')?.textContent

test('Select has a label, options and an associated error', async () => {
  const onChange = vi.fn()
  const options = [
    { value: '', label: 'Any status' },
    { value: 'active', label: 'Active' },
  ]
  render(<Select label="Status" isLabelHidden options={options} error="Choose one." onChange={onChange} />)
  const select = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Status' })
  expect(describedText(select)).toBe('Choose one.')
  await userEvent.selectOptions(select, 'Active')
  expect(onChange).toHaveBeenCalledOnce()
  expect(select.value).toBe('active')
})

test('TextArea shows its error in place of its hint', () => {
  const { rerender } = render(<TextArea label="About" hint="Short" />)
  const area = screen.getByRole('textbox', { name: 'About' })
  expect(describedText(area)).toBe('Short')
  rerender(<TextArea label="About" hint="Short" error="Too long." />)
  expect(describedText(area)).toBe('Too long.')
  expect(area.getAttribute('aria-invalid')).toBe('true')
})

test('Check can be indeterminate', () => {
  render(<Check isMixed aria-label="All" onChange={() => {}} checked={false} />)
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'All' }).indeterminate).toBe(true)
})

test('Status has a word beside its dot', () => {
  render(<Status tone="off">Disabled</Status>)
  expect(screen.getByText('Disabled').querySelector('span')?.className).toContain('border')
})
