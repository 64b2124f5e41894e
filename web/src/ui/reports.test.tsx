import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { CompareDialog, type Difference } from './CompareDialog.tsx'
import { ResultReport } from './ResultReport.tsx'
import { undoToast } from './undo-toast.ts'

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

test('an undo offer stays for 10 s and reports its result', async () => {
  const undo = vi.fn(async () => {})
  const offer = async (...given: Parameters<typeof undoToast>) => {
    await undoToast(...given)
    return (await screen.findByText(given[0])).closest<HTMLElement>('.Toastify__toast') ?? document.body
  }
  const offered = await offer('Ana is disabled', undo)
  // The animation of the bar is the clock.
  expect(within(offered).getByRole('progressbar', { hidden: true }).style.animationDuration).toBe('10000ms')
  await userEvent.click(within(offered).getByRole('button', { name: 'Undo' }))
  expect(undo).toHaveBeenCalledOnce()
  const done = (await screen.findByText('Undone')).closest('.Toastify__toast')
  expect(done?.className).toContain('Toastify__toast--success')

  const refused = await offer(
    'Bea is disabled',
    () => Promise.reject(new Error()),
    () => 'She was deleted.',
  )
  await userEvent.click(within(refused).getByRole('button', { name: 'Undo' }))
  const failed = (await screen.findByText('Not undone. She was deleted.')).closest('.Toastify__toast')
  expect(failed?.className).toContain('Toastify__toast--error')
})
