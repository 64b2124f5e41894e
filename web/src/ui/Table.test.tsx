import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { Table, TableCell, TableRow } from './Table.tsx'

const show = (onKeyDown = vi.fn()) =>
  render(
    <Table
      caption="User Preferences"
      header={
        <>
          <th scope="col">Key</th>
          <th scope="col">Value</th>
        </>
      }
    >
      <TableRow onKeyDown={onKeyDown} className="bg-well">
        <TableCell>Theme</TableCell>
        <TableCell>
          <input aria-label="Value" />
        </TableCell>
      </TableRow>
      <TableRow>
        <TableCell colSpan={2}>Nothing else</TableCell>
      </TableRow>
    </Table>,
  )

test('is named by its caption and has column headers, rows and cells', () => {
  show()
  const table = screen.getByRole('table', { name: 'User Preferences' })
  expect(
    within(table)
      .getAllByRole('columnheader')
      .map(({ textContent }) => textContent),
  ).toEqual(['Key', 'Value'])
  expect(within(table).getAllByRole('row')).toHaveLength(3)
  expect(within(table).getAllByRole('cell')).toHaveLength(3)
  expect(screen.getByText('Nothing else').getAttribute('colspan')).toBe('2')
})

test('sets roles explicitly, because some browsers drop them in the card layout', () => {
  const { container } = show()
  const roles = [...container.querySelectorAll('table, thead, tbody, tr, td')].map((part) => part.getAttribute('role'))
  expect(roles).toEqual(['table', 'rowgroup', 'row', 'rowgroup', 'row', 'cell', 'cell', 'row', 'cell'])
})

test('a row receives key events of its cells and keeps the class names passed to it', async () => {
  const onKeyDown = vi.fn()
  show(onKeyDown)
  await userEvent.type(screen.getByLabelText('Value'), 'a')
  expect(onKeyDown).toHaveBeenCalledOnce()
  expect(screen.getByText('Theme').parentElement?.classList).toContain('bg-well')
})
