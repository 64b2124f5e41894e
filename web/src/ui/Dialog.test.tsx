import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { Confirm, Dialog } from './Dialog.tsx'

describe('Dialog', () => {
  const getDialog = () => screen.getByRole<HTMLDialogElement>('dialog', { hidden: true })
  const createDialog = (isOpen: boolean, onClose = vi.fn()) => (
    <Dialog isOpen={isOpen} onClose={onClose} title="Shortcuts">
      <p>The list</p>
    </Dialog>
  )

  test('is a modal labelled by its title, and renders its content only while open', () => {
    const showModal = vi.spyOn(HTMLDialogElement.prototype, 'showModal')
    const { rerender } = render(createDialog(false))
    expect(getDialog().open).toBe(false)
    expect(screen.queryByText('The list')).toBeNull()
    rerender(createDialog(true))
    expect(screen.getByRole('dialog', { name: 'Shortcuts' })).toMatchObject({ open: true })
    expect(screen.getByText('The list')).toBeDefined()
    rerender(createDialog(true))
    expect(showModal).toHaveBeenCalledOnce()
    rerender(createDialog(false))
    expect(getDialog().open).toBe(false)
    expect(screen.queryByText('The list')).toBeNull()
  })

  test('calls onClose when the browser closes it, for example after Escape', () => {
    const onClose = vi.fn()
    render(createDialog(true, onClose))
    getDialog().close()
    expect(onClose).toHaveBeenCalledOnce()
  })

  test('can be reopened after the browser has closed it', () => {
    const { rerender } = render(createDialog(true))
    getDialog().close()
    rerender(createDialog(false))
    rerender(createDialog(true))
    expect(getDialog().open).toBe(true)
  })
})

describe('Confirm', () => {
  const renderConfirm = (props: Partial<Parameters<typeof Confirm>[0]> = {}) => {
    const handlers = { onConfirm: vi.fn(), onClose: vi.fn() }
    render(
      <Confirm isOpen title="Unlink Harbour ID?" action="Unlink" {...handlers} {...props}>
        You can no longer sign in with it.
      </Confirm>,
    )
    return handlers
  }
  const getButton = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

  test('is an alert dialog with a title, a consequence and a button that names the action', () => {
    renderConfirm()
    const dialog = screen.getByRole('alertdialog', { name: 'Unlink Harbour ID?' })
    expect(dialog.textContent).toContain('You can no longer sign in with it.')
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Cancel', 'Unlink'])
  })

  test('does nothing until confirmed', async () => {
    const { onConfirm, onClose } = renderConfirm()
    expect(onConfirm).not.toHaveBeenCalled()
    await userEvent.click(getButton('Unlink'))
    expect(onConfirm).toHaveBeenCalledOnce()
    expect(onClose).not.toHaveBeenCalled()
  })

  test('is cancelled by its Cancel button and by any other way of closing it', async () => {
    const { onConfirm, onClose } = renderConfirm()
    await userEvent.click(getButton('Cancel'))
    expect(onClose).toHaveBeenCalledTimes(1)
    fireEvent(screen.getByRole('alertdialog'), new Event('close'))
    expect(onClose).toHaveBeenCalledTimes(2)
    expect(onConfirm).not.toHaveBeenCalled()
  })

  test('cannot be confirmed again while busy, but can be closed', async () => {
    const { onConfirm, onClose } = renderConfirm({ isBusy: true })
    expect(getButton('Unlink').getAttribute('aria-busy')).toBe('true')
    await userEvent.click(getButton('Unlink'))
    expect(onConfirm).not.toHaveBeenCalled()
    await userEvent.click(getButton('Cancel'))
    expect(onClose).toHaveBeenCalledOnce()
  })
})
