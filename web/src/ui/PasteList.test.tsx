import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { type LineResult, PasteList } from './PasteList.tsx'
import { parsePastedLines } from './pasted-lines.ts'

describe('parsePastedLines', () => {
  test.for([
    ['', []],
    [' \n,; \t', []],
    ['ana', ['ana']],
    ['ana\nbo\r\nana', ['ana', 'bo']],
    ['ana, bo;\tchidi ', ['ana', 'bo', 'chidi']],
    ['Ana Abara\nbo', ['Ana Abara', 'bo']],
  ] as const)('parses %j as %j', ([text, lines]) => {
    expect(parsePastedLines(text)).toEqual(lines)
  })

  test('returns trimmed, unique, non-empty entries, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ',', '@', '\t') }), (text) => {
        const lines = parsePastedLines(text)
        expect(lines.every((line) => line !== '' && line === line.trim())).toBe(true)
        expect(new Set(lines).size).toBe(lines.length)
        expect(parsePastedLines(lines.join('\n'))).toEqual(lines)
      }),
    )
  })
})

function show(check: (lines: string[]) => Promise<LineResult[]>, max?: number) {
  const handlers = { onAdd: vi.fn(), onClose: vi.fn() }
  render(<PasteList isOpen title="Paste a list" inputLabel="Ids" check={check} {...handlers} {...(max && { max })} />)
  return handlers
}
const paste = async (text: string) => {
  await userEvent.click(screen.getByLabelText('Ids'))
  await userEvent.paste(text)
  await userEvent.click(screen.getByRole('button', { name: 'Check' }))
}

test('shows the result of each line and adds each match once', async () => {
  const ana = { id: '1', name: 'Ana Abara' }
  const { onAdd, onClose } = show(async (lines) =>
    lines.map((line) => {
      if (line === 'bo') return { line, match: { id: '2', name: 'Bo', disabledReason: 'Already a member' } }
      return line.startsWith('ana') ? { line, match: ana } : { line, fault: 'Nobody' }
    }),
  )
  await paste('ana\nana@harbour.example\nbo\nzed')
  const results = within(await screen.findByRole('list', { name: 'Results' })).getAllByRole('listitem')
  expect(results.map(({ textContent }) => textContent)).toEqual([
    'ana✓ Ana Abara',
    'ana@harbour.example✓ Ana Abara',
    'bo✓ Bo · Already a member',
    'zed✗ Nobody',
  ])
  expect(screen.getByRole('status').textContent).toBe('3 found, 1 not found')
  await userEvent.click(screen.getByRole('button', { name: 'Add 1' }))
  expect(onAdd.mock.calls).toEqual([[[ana]]])
  expect(onClose).toHaveBeenCalledOnce()
})

test('keeps a list that is too long or cannot be looked up, with an error', async () => {
  const check = vi.fn<(lines: string[]) => Promise<LineResult[]>>().mockRejectedValue(new Error('no network'))
  show(check, 2)
  await paste('a,b,c')
  expect(screen.getByText('Up to 2 at a time. This list has 3.')).toBeDefined()
  expect(check).not.toHaveBeenCalled()
  await userEvent.clear(screen.getByLabelText('Ids'))
  await paste('a,b')
  expect(await screen.findByText("Couldn't check the list. Try again.")).toBeDefined()
  expect(screen.getByLabelText<HTMLTextAreaElement>('Ids').value).toBe('a,b')
})
