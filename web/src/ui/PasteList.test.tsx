import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { PasteList, type Verdict } from './PasteList.tsx'
import { pastedLines } from './pasted-lines.ts'

describe('a pasted list', () => {
  test.for([
    ['', []],
    [' \n,; \t', []],
    ['ana', ['ana']],
    ['ana\nbo\r\nana', ['ana', 'bo']],
    ['ana, bo;\tchidi ', ['ana', 'bo', 'chidi']],
    ['Ana Abara\nbo', ['Ana Abara', 'bo']],
  ] as const)('%j is %j', ([text, lines]) => {
    expect(pastedLines(text)).toEqual(lines)
  })

  test('has no entry that is empty, wide or there twice, and is the same when it is pasted again', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', ',', '@', '\t') }), (text) => {
        const lines = pastedLines(text)
        expect(lines.every((line) => line !== '' && line === line.trim())).toBe(true)
        expect(new Set(lines).size).toBe(lines.length)
        expect(pastedLines(lines.join('\n'))).toEqual(lines)
      }),
    )
  })
})

function show(check: (lines: string[]) => Promise<Verdict[]>, max?: number) {
  const acts = { onAdd: vi.fn(), onClose: vi.fn() }
  render(<PasteList isOpen title="Paste a list" about="Ids" check={check} {...acts} {...(max && { max })} />)
  return acts
}
const paste = async (text: string) => {
  await userEvent.click(screen.getByLabelText('Ids'))
  await userEvent.paste(text)
  await userEvent.click(screen.getByRole('button', { name: 'Check' }))
}

test('each line has a verdict, and those who were found are added, each once', async () => {
  const ana = { id: '1', name: 'Ana Abara' }
  const { onAdd, onClose } = show(async (lines) =>
    lines.map((line) => {
      if (line === 'bo') return { line, is: { id: '2', name: 'Bo', taken: 'Already a member' } }
      return line.startsWith('ana') ? { line, is: ana } : { line, fault: 'Nobody' }
    }),
  )
  await paste('ana\nana@harbour.example\nbo\nzed')
  const verdicts = within(await screen.findByRole('list', { name: 'Verdicts' })).getAllByRole('listitem')
  expect(verdicts.map(({ textContent }) => textContent)).toEqual([
    'ana✓ Ana Abara',
    'ana@harbour.example✓ Ana Abara',
    'bo✓ Bo · Already a member',
    'zed✗ Nobody',
  ])
  expect(screen.getByRole('status').textContent).toBe('3 found, 1 not')
  await userEvent.click(screen.getByRole('button', { name: 'Add 1' }))
  expect(onAdd.mock.calls).toEqual([[[ana]]])
  expect(onClose).toHaveBeenCalledOnce()
})

test('a list that is too long, or that cannot be looked up, says so and is kept', async () => {
  const check = vi.fn<(lines: string[]) => Promise<Verdict[]>>().mockRejectedValue(new Error('no network'))
  show(check, 2)
  await paste('a,b,c')
  expect(screen.getByText('At most 2 at a time: these are 3.')).toBeDefined()
  expect(check).not.toHaveBeenCalled()
  await userEvent.clear(screen.getByLabelText('Ids'))
  await paste('a,b')
  expect(await screen.findByText('They could not be looked up. Try again.')).toBeDefined()
  expect(screen.getByLabelText<HTMLTextAreaElement>('Ids').value).toBe('a,b')
})
