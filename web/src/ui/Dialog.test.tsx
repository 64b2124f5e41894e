import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { Confirm, Dialog } from './Dialog.tsx'

describe('a dialog', () => {
  const dialog = () => screen.getByRole<HTMLDialogElement>('dialog', { hidden: true })
  const shown = (isOpen: boolean, onClose = vi.fn()) => (
    <Dialog isOpen={isOpen} onClose={onClose} title="Shortcuts">
      <p>The list</p>
    </Dialog>
  )

  test('is a modal with the name of its title, and has its content only while it is open', () => {
    const showModal = vi.spyOn(HTMLDialogElement.prototype, 'showModal')
    const { rerender } = render(shown(false))
    expect(dialog().open).toBe(false)
    expect(screen.queryByText('The list')).toBeNull()
    rerender(shown(true))
    expect(screen.getByRole('dialog', { name: 'Shortcuts' })).toMatchObject({ open: true })
    expect(screen.getByText('The list')).toBeDefined()
    rerender(shown(true))
    expect(showModal).toHaveBeenCalledOnce()
    rerender(shown(false))
    expect(dialog().open).toBe(false)
    expect(screen.queryByText('The list')).toBeNull()
  })

  test('that the browser closes, as Escape does, tells so', () => {
    const onClose = vi.fn()
    render(shown(true, onClose))
    dialog().close()
    expect(onClose).toHaveBeenCalledOnce()
  })

  test('is opened again after the browser has closed it', () => {
    const { rerender } = render(shown(true))
    dialog().close()
    rerender(shown(false))
    rerender(shown(true))
    expect(dialog().open).toBe(true)
  })
})

describe('a question before something that cannot be taken back', () => {
  const ask = (props: Partial<Parameters<typeof Confirm>[0]> = {}) => {
    const acts = { onConfirm: vi.fn(), onClose: vi.fn() }
    render(
      <Confirm isOpen title="Unlink Harbour ID?" action="Unlink" {...acts} {...props}>
        It will not lead here any more.
      </Confirm>,
    )
    return acts
  }
  const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

  test('is an alert with a title, what will happen, and a button that names it', () => {
    ask()
    const question = screen.getByRole('alertdialog', { name: 'Unlink Harbour ID?' })
    expect(question.textContent).toContain('It will not lead here any more.')
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Cancel', 'Unlink'])
  })

  test('does nothing until it is answered', async () => {
    const { onConfirm, onClose } = ask()
    expect(onConfirm).not.toHaveBeenCalled()
    await userEvent.click(button('Unlink'))
    expect(onConfirm).toHaveBeenCalledOnce()
    expect(onClose).not.toHaveBeenCalled()
  })

  test('is cancelled with its button, and by whatever else closes it', async () => {
    const { onConfirm, onClose } = ask()
    await userEvent.click(button('Cancel'))
    expect(onClose).toHaveBeenCalledTimes(1)
    fireEvent(screen.getByRole('alertdialog'), new Event('close'))
    expect(onClose).toHaveBeenCalledTimes(2)
    expect(onConfirm).not.toHaveBeenCalled()
  })

  test('is not answered twice while the work goes on, but can be left', async () => {
    const { onConfirm, onClose } = ask({ isBusy: true })
    expect(button('Unlink').getAttribute('aria-busy')).toBe('true')
    await userEvent.click(button('Unlink'))
    expect(onConfirm).not.toHaveBeenCalled()
    await userEvent.click(button('Cancel'))
    expect(onClose).toHaveBeenCalledOnce()
  })
})
