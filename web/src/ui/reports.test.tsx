import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { CompareDialog, type Difference } from './CompareDialog.tsx'
import { ResultReport } from './ResultReport.tsx'
import { undoToast } from './undo-toast.ts'

test('ResultReport lists the successes, the failures with reasons, and retries the failures', async () => {
  const [onRetry, onClose] = [vi.fn(), vi.fn()]
  const failed = [
    { id: '1', name: 'Ana', reason: 'The last administrator.' },
    { id: '2', reason: 'No longer exists.' },
  ]
  render(<ResultReport doneText="23 users disabled" failed={failed} onRetry={onRetry} onClose={onClose} />)
  const report = screen.getByRole('alert')
  expect(report.textContent).toContain('23 users disabled, 2 failed')
  expect(
    within(report)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['AnaThe last administrator.', '2No longer exists.'])
  await userEvent.click(screen.getByRole('button', { name: 'Retry failed' }))
  await userEvent.click(screen.getByRole('button', { name: 'Close' }))
  expect(onRetry).toHaveBeenCalledOnce()
  expect(onClose).toHaveBeenCalledOnce()
})

test('CompareDialog saves the chosen version of each field', async () => {
  const differences: Difference[] = [
    { name: 'name', label: 'Name', mine: 'Night crew', theirs: 'Late crew', choice: 'mine' },
    { name: 'about', label: 'About', mine: '', theirs: 'Ten to six', choice: 'theirs' },
  ]
  const onSave = vi.fn()
  render(
    <CompareDialog isOpen recordLabel="this group" isBusy={false} onClose={() => {}} {...{ differences, onSave }} />,
  )
  expect(screen.getByRole('dialog', { name: 'Another user changed this group' })).toBeDefined()
  const about = within(screen.getByRole('group', { name: 'About' }))
  expect(about.getByRole<HTMLInputElement>('radio', { name: /Use theirs/ }).checked).toBe(true)
  expect(about.getByRole('radio', { name: 'Keep mine (empty)' })).toBeDefined()
  await userEvent.click(within(screen.getByRole('group', { name: 'Name' })).getByRole('radio', { name: /theirs/ }))
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(onSave.mock.calls).toEqual([[{ name: 'theirs', about: 'theirs' }]])
})

test('undoToast stays for 10 s and reports the result of the undo', async () => {
  const undo = vi.fn(async () => {})
  const showUndoToast = async (...args: Parameters<typeof undoToast>) => {
    await undoToast(...args)
    return (await screen.findByText(args[0])).closest<HTMLElement>('.Toastify__toast') ?? document.body
  }
  const toastElement = await showUndoToast('Ana is disabled', undo)
  // The progress bar's animation is the timer.
  expect(within(toastElement).getByRole('progressbar', { hidden: true }).style.animationDuration).toBe('10000ms')
  await userEvent.click(within(toastElement).getByRole('button', { name: 'Undo' }))
  expect(undo).toHaveBeenCalledOnce()
  const done = (await screen.findByText('Undone')).closest('.Toastify__toast')
  expect(done?.className).toContain('Toastify__toast--success')

  const failingToast = await showUndoToast(
    'Bea is disabled',
    () => Promise.reject(new Error()),
    () => 'She was deleted.',
  )
  await userEvent.click(within(failingToast).getByRole('button', { name: 'Undo' }))
  const failed = (await screen.findByText("Couldn't undo: She was deleted.")).closest('.Toastify__toast')
  expect(failed?.className).toContain('Toastify__toast--error')
})
