import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { CompareDialog, type Difference } from './CompareDialog.tsx'
import { ResultReport } from './ResultReport.tsx'
import { toast } from './toast.ts'
import { undoToast } from './undo-toast.ts'

vi.mock('./toast.ts', () => ({ toast: vi.fn(async () => {}) }))

test('a report names what was done, what failed and why, and lets the failed be tried again', async () => {
  const [onRetry, onClose] = [vi.fn(), vi.fn()]
  const failed = [
    { id: '1', name: 'Ana', why: 'The last administrator.' },
    { id: '2', why: 'Not there any more.' },
  ]
  render(<ResultReport done="23 people disabled" failed={failed} onRetry={onRetry} onClose={onClose} />)
  const report = screen.getByRole('alert')
  expect(report.textContent).toContain('23 people disabled, 2 failed')
  expect(
    within(report)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['AnaThe last administrator.', '2Not there any more.'])
  await userEvent.click(screen.getByRole('button', { name: 'Try the failed again' }))
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(onRetry).toHaveBeenCalledOnce()
  expect(onClose).toHaveBeenCalledOnce()
})

test('of two versions each field is mine or theirs, as chosen', async () => {
  const differences: Difference[] = [
    { name: 'name', label: 'Name', mine: 'Night crew', theirs: 'Late crew', choice: 'mine' },
    { name: 'about', label: 'About', mine: '', theirs: 'Ten to six', choice: 'theirs' },
  ]
  const onSave = vi.fn()
  render(<CompareDialog isOpen what="this group" isBusy={false} onClose={() => {}} {...{ differences, onSave }} />)
  expect(screen.getByRole('dialog', { name: 'Someone else changed this group' })).toBeDefined()
  const about = within(screen.getByRole('group', { name: 'About' }))
  expect(about.getByRole<HTMLInputElement>('radio', { name: /Take theirs/ }).checked).toBe(true)
  expect(about.getByRole('radio', { name: 'Keep mine (empty)' })).toBeDefined()
  await userEvent.click(within(screen.getByRole('group', { name: 'Name' })).getByRole('radio', { name: /theirs/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(onSave.mock.calls).toEqual([[{ name: 'theirs', about: 'theirs' }]])
})

test('what can be taken back says so for 10 s, and what became of it', async () => {
  const undo = vi.fn(async () => {})
  await undoToast('Ana is disabled', undo)
  const [options] = vi.mocked(toast).mock.lastCall ?? []
  expect(options).toMatchObject({ content: 'Ana is disabled', timeout: 10_000, action: { label: 'Undo' } })
  options?.action?.run()
  await waitFor(() => expect(toast).toHaveBeenLastCalledWith({ type: 'success', content: 'Undone' }))
  await undoToast(
    'Ana is disabled',
    () => Promise.reject(new Error()),
    () => 'She was deleted.',
  )
  vi.mocked(toast).mock.lastCall?.[0].action?.run()
  await waitFor(() =>
    expect(toast).toHaveBeenLastCalledWith({ type: 'error', content: 'Not undone. She was deleted.' }),
  )
})
