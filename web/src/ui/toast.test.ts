import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type ToastOptions, toast } from './toast.ts'

/** Shows a toast and returns its element. */
async function showToast(options: ToastOptions): Promise<HTMLElement> {
  await act(() => toast(options))
  const element = (await screen.findByText(options.content)).closest<HTMLElement>('.Toastify__toast')
  if (!element) throw new Error(`${options.content} is not in a message`)
  return element
}
const all = () => [...document.querySelectorAll('.Toastify__toast')]
const isLeaving = (message: HTMLElement) => message.classList.contains('toast-exit') || !message.isConnected

describe('toast', () => {
  test('appears in a live region', async () => {
    const message = await showToast({ content: 'Here' })
    expect(message.closest('[aria-live=polite]')?.getAttribute('aria-label')).toBe('Notifications')
    expect(message.closest('.Toastify__toast-container')?.className).toContain('bottom-right')
  })

  test.for([
    ['error', 'alert'],
    ['warning', 'group'],
    ['info', 'group'],
    ['success', 'group'],
    ['default', 'group'],
  ] as const)('of type %s has the role %s', async ([type, role]) => {
    const message = await showToast({ type, content: `A ${type}` })
    expect(message.getAttribute('role')).toBe(role)
    expect(message.className).toContain(`Toastify__toast--${type}`)
  })

  test('appears above earlier toasts', async () => {
    const [first, second] = [await showToast({ content: 'First' }), await showToast({ content: 'Second' })]
    expect(all().indexOf(second)).toBeLessThan(all().indexOf(first))
  })

  test('replaces the toast with the same id', async () => {
    await showToast({ id: 'copied', type: 'error', content: 'Not copied' })
    const count = all().length
    const after = await showToast({ id: 'copied', type: 'success', content: 'Copied' })
    expect(all()).toHaveLength(count)
    expect(after.className).toContain('Toastify__toast--success')
    expect(screen.queryByText('Not copied')).toBeNull()
  })

  test('stays for 5 s by default', async () => {
    // The progress bar's animation is the timer.
    const clock = (message: HTMLElement) => {
      const bar = message.querySelector<HTMLElement>('[role=progressbar]')
      return bar?.classList.contains('Toastify__progress-bar--animated') && bar.style.animationDuration
    }
    expect(clock(await showToast({ content: 'By default' }))).toBe('5000ms')
    expect(clock(await showToast({ content: 'Shorter', timeout: 800 }))).toBe('800ms')
    expect(clock(await showToast({ content: 'Until it is closed', timeout: false }))).toBe(false)
  })

  test('appears at a given position', async () => {
    const message = await showToast({ content: 'Elsewhere', position: 'top-center' })
    expect(message.closest('.Toastify__toast-container')?.className).toContain('top-center')
  })

  test('runs its action once and closes', async () => {
    const run = vi.fn()
    const message = await showToast({ content: 'Disabled Eve', action: { label: 'Undo', run } })
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
    expect(run).toHaveBeenCalledOnce()
    await waitFor(() => expect(isLeaving(message)).toBe(true))
  })

  test('closes with its button', async () => {
    const message = await showToast({ content: 'Close me' })
    const close = message.querySelector('button[aria-label=close]')
    if (!close) throw new Error('There is no button')
    await userEvent.click(close)
    await waitFor(() => expect(isLeaving(message)).toBe(true))
  })
})

describe('toast without its library', () => {
  afterEach(() => {
    vi.doUnmock('./toaster.tsx')
    vi.resetModules()
  })

  test('shows the text, its action and a button to close, and leaves in time', async () => {
    vi.resetModules()
    vi.doMock('./toaster.tsx', () => {
      throw new TypeError('Failed to fetch dynamically imported module')
    })
    const { toast } = await import('./toast.ts')
    const run = vi.fn()
    await toast({ type: 'error', content: 'Not stored', timeout: false, action: { label: 'Repeat', run } })
    expect(screen.getByText('Not stored').role).toBe('alert')
    await userEvent.click(screen.getByRole('button', { name: 'Repeat' }))
    expect(run).toHaveBeenCalledOnce()
    expect(screen.queryByText('Not stored')).toBeNull()
    await toast({ content: 'In passing', timeout: 1 })
    expect(screen.getByText('In passing').role).toBe('status')
    await waitFor(() => expect(screen.queryByText('In passing')).toBeNull())
  })
})
