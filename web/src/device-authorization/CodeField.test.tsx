import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { CodeField } from './CodeField.tsx'

function Form() {
  const [code, setCode] = useState('')
  return <CodeField label="Code" value={code} onChange={setCode} />
}

test('takes a typed or pasted code without its dash, eight letters at most', async () => {
  const { container } = render(<Form />)
  const field = screen.getByLabelText<HTMLInputElement>('Code')
  const readCells = () => [...container.querySelectorAll('[aria-hidden]')].map((cell) => cell.textContent).join('|')
  await userEvent.type(field, 'bc-d')
  expect(readCells()).toBe('B|C|D|||||')
  await userEvent.clear(field)
  await userEvent.click(field)
  await userEvent.paste(' bcdf-ghjkl ')
  expect(field.value).toBe('BCDFGHJK')
  expect(readCells()).toBe('B|C|D|F|G|H|J|K')
})
