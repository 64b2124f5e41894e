import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { Confirm, Dialog } from './Dialog.tsx'

describe('Dialog', () => {
  const dialog = () => screen.getByRole<HTMLDialogElement>('dialog', { hidden: true })
  const dialogElement = (isOpen: boolean, onClose = vi.fn()) => (
    <Dialog isOpen={isOpen} onClose={onClose} title="Shortcuts">
      <p>The list</p>
    </Dialog>
  )

  test('is a modal named by its title, with content only while open', () => {
    const showModal = vi.spyOn(HTMLDialogElement.prototype, 'showModal')
    const { rerender } = render(dialogElement(false))
    expect(dialog().open).toBe(false)
    expect(screen.queryByText('The list')).toBeNull()
    rerender(dialogElement(true))
    expect(screen.getByRole('dialog', { name: 'Shortcuts' })).toMatchObject({ open: true })
    expect(screen.getByText('The list')).toBeDefined()
    rerender(dialogElement(true))
    expect(showModal).toHaveBeenCalledOnce()
    rerender(dialogElement(false))
    expect(dialog().open).toBe(false)
    expect(screen.queryByText('The list')).toBeNull()
  })

  test('calls onClose when the browser closes it, as Escape does', () => {
    const onClose = vi.fn()
    render(dialogElement(true, onClose))
    dialog().close()
    expect(onClose).toHaveBeenCalledOnce()
  })

  test('opens again after the browser closed it', () => {
    const { rerender } = render(dialogElement(true))
    dialog().close()
    rerender(dialogElement(false))
    rerender(dialogElement(true))
    expect(dialog().open).toBe(true)
  })
})

describe('Confirm', () => {
  const renderConfirm = (props: Partial<Parameters<typeof Confirm>[0]> = {}) => {
    const handlers = { onConfirm: vi.fn(), onClose: vi.fn() }
    render(
      <Confirm isOpen title="Unlink Harbour ID?" action="Unlink" {...handlers} {...props}>
        It will not lead here any more.
      </Confirm>,
    )
    return handlers
  }
  const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

  test('is an alert dialog with a title, the consequence and a button that names the action', () => {
    renderConfirm()
    const question = screen.getByRole('alertdialog', { name: 'Unlink Harbour ID?' })
    expect(question.textContent).toContain('It will not lead here any more.')
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Cancel', 'Unlink'])
  })

  test('does nothing until answered', async () => {
    const { onConfirm, onClose } = renderConfirm()
    expect(onConfirm).not.toHaveBeenCalled()
    await userEvent.click(button('Unlink'))
    expect(onConfirm).toHaveBeenCalledOnce()
    expect(onClose).not.toHaveBeenCalled()
  })

  test('is cancelled by its button and by any other way of closing', async () => {
    const { onConfirm, onClose } = renderConfirm()
    await userEvent.click(button('Cancel'))
    expect(onClose).toHaveBeenCalledTimes(1)
    fireEvent(screen.getByRole('alertdialog'), new Event('close'))
    expect(onClose).toHaveBeenCalledTimes(2)
    expect(onConfirm).not.toHaveBeenCalled()
  })

  test('cannot be confirmed twice while busy, but can be closed', async () => {
    const { onConfirm, onClose } = renderConfirm({ isBusy: true })
    expect(button('Unlink').getAttribute('aria-busy')).toBe('true')
    await userEvent.click(button('Unlink'))
    expect(onConfirm).not.toHaveBeenCalled()
    await userEvent.click(button('Cancel'))
    expect(onClose).toHaveBeenCalledOnce()
  })
})
