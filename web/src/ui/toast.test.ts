import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { type ToastOptions, toast } from './toast.ts'

/** Shows a message and finds it. */
async function shown(options: ToastOptions): Promise<HTMLElement> {
  await act(() => toast(options))
  const found = (await screen.findByText(options.content)).closest<HTMLElement>('.Toastify__toast')
  if (!found) throw new Error(`${options.content} is not in a message`)
  return found
}
const all = () => [...document.querySelectorAll('.Toastify__toast')]
const isLeaving = (message: HTMLElement) => message.classList.contains('toast-exit') || !message.isConnected

describe('a message', () => {
  test('is in a region that tells of what comes into it', async () => {
    const message = await shown({ content: 'Here' })
    expect(message.closest('[aria-live=polite]')?.getAttribute('aria-label')).toBe('Notifications')
    expect(message.closest('.Toastify__toast-container')?.className).toContain('bottom-right')
  })

  test.for([
    ['error', 'alert'],
    ['warning', 'group'],
    ['info', 'group'],
    ['success', 'group'],
    ['default', 'group'],
  ] as const)('of the kind %s is an %s', async ([type, role]) => {
    const message = await shown({ type, content: `A ${type}` })
    expect(message.getAttribute('role')).toBe(role)
    expect(message.className).toContain(`Toastify__toast--${type}`)
  })

  test('stands above those that came before', async () => {
    const [first, second] = [await shown({ content: 'First' }), await shown({ content: 'Second' })]
    expect(all().indexOf(second)).toBeLessThan(all().indexOf(first))
  })

  test('with the id of one that is there takes its place', async () => {
    await shown({ id: 'copied', type: 'error', content: 'Not copied' })
    const count = all().length
    const after = await shown({ id: 'copied', type: 'success', content: 'Copied' })
    expect(all()).toHaveLength(count)
    expect(after.className).toContain('Toastify__toast--success')
    expect(screen.queryByText('Not copied')).toBeNull()
  })

  test('stands for 5 s, unless told', async () => {
    // The bar's animation is the clock.
    const clock = (message: HTMLElement) => {
      const bar = message.querySelector<HTMLElement>('[role=progressbar]')
      return bar?.classList.contains('Toastify__progress-bar--animated') && bar.style.animationDuration
    }
    expect(clock(await shown({ content: 'By default' }))).toBe('5000ms')
    expect(clock(await shown({ content: 'Shorter', timeout: 800 }))).toBe('800ms')
    expect(clock(await shown({ content: 'Until it is closed', timeout: false }))).toBe(false)
  })

  test('goes elsewhere where that is asked for', async () => {
    const message = await shown({ content: 'Elsewhere', position: 'top-center' })
    expect(message.closest('.Toastify__toast-container')?.className).toContain('top-center')
  })

  test('with an action does it once, and goes', async () => {
    const run = vi.fn()
    const message = await shown({ content: 'Disabled Eve', action: { label: 'Undo', run } })
    await userEvent.click(screen.getByRole('button', { name: 'Undo' }))
    expect(run).toHaveBeenCalledOnce()
    await waitFor(() => expect(isLeaving(message)).toBe(true))
  })

  test('is closed with its button', async () => {
    const message = await shown({ content: 'Close me' })
    const close = message.querySelector('button[aria-label=close]')
    if (!close) throw new Error('There is no button')
    await userEvent.click(close)
    await waitFor(() => expect(isLeaving(message)).toBe(true))
  })
})
