import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { Menu, type MenuItem } from './Menu.tsx'

const closed = vi.fn()
/** The test DOM has no popovers: tests dispatch the `toggle` event to open and record `hidePopover`. */
beforeAll(() => {
  HTMLElement.prototype.hidePopover = closed
})
const menu = () => screen.getByRole('menu', { name: 'Fruit' })
const open = () => fireEvent(menu(), Object.assign(new Event('toggle'), { newState: 'open', oldState: 'closed' }))
const focused = () => document.activeElement?.textContent

const labels = ['Apple', 'Banana', 'Blueberry', 'cherry']
function show(overrides: Partial<MenuItem> = {}) {
  const onSelect = vi.fn<(label: string) => void>()
  const items = labels.map((label) => ({ label, ...overrides, onSelect: () => onSelect(label) }))
  render(<Menu label="Fruit" trigger={<svg aria-hidden="true" />} items={items} />)
  return onSelect
}

describe('Menu', () => {
  test('has a button with its name that announces the menu', () => {
    show()
    const button = screen.getByRole('button', { name: 'Fruit' })
    expect(button.getAttribute('aria-haspopup')).toBe('menu')
    expect(button.getAttribute('popovertarget')).toBe(menu().id)
    expect(menu().getAttribute('popover')).toBe('auto')
    expect(screen.getAllByRole('menuitem').map(({ textContent }) => textContent)).toEqual(labels)
  })

  test('has links among its items, and reports that it was opened', () => {
    const onOpen = vi.fn()
    render(<Menu label="Fruit" trigger="" items={[{ label: 'Apple', href: '/apple' }]} onOpen={onOpen} />)
    const link = screen.getByRole('menuitem', { name: 'Apple' })
    expect([link.tagName, link.getAttribute('href')]).toEqual(['A', '/apple'])
    expect(onOpen).not.toHaveBeenCalled()
    open()
    expect(onOpen).toHaveBeenCalledOnce()
    expect(document.activeElement).toBe(link)
  })

  test('takes focus when opened, and leaves it alone when closed', () => {
    show()
    open()
    expect(focused()).toBe('Apple')
    screen.getByRole('button', { name: 'Fruit' }).focus()
    fireEvent(menu(), Object.assign(new Event('toggle'), { newState: 'closed', oldState: 'open' }))
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Fruit' }))
  })

  test.for([
    ['{ArrowDown}', 'Banana'],
    ['{ArrowDown>4}', 'Apple'],
    ['{ArrowUp}', 'cherry'],
    ['{End}', 'cherry'],
    ['{End}{ArrowDown}', 'Apple'],
    ['{End}{Home}', 'Apple'],
    ['b', 'Banana'],
    ['bb', 'Blueberry'],
    ['bbb', 'Banana'],
    ['C', 'cherry'],
    ['a', 'Apple'],
    ['z', 'Apple'],
    ['{Shift}', 'Apple'],
  ] as const)('moves with %s from the first item to %s', async ([keys, expected]) => {
    show()
    open()
    await userEvent.keyboard(keys)
    expect(focused()).toBe(expected)
  })

  test('has no tab stops among its items', () => {
    show()
    for (const entry of screen.getAllByRole('menuitem')) expect(entry.tabIndex).toBe(-1)
  })

  test.for([
    ['a click', () => userEvent.click(screen.getByRole('menuitem', { name: 'Banana' }))],
    ['Enter', () => userEvent.keyboard('b{Enter}')],
    ['Space', () => userEvent.keyboard('b ')],
  ] as const)('closes with %s on an item, then runs its action once', async ([, choose]) => {
    const order: string[] = []
    closed.mockImplementationOnce(() => order.push('closed'))
    show().mockImplementation((label) => order.push(label))
    open()
    await choose()
    expect(order).toEqual(['closed', 'Banana'])
  })

  test('marks the selected item of a choice', () => {
    const items = ['Light', 'Dark'].map((label) => ({ label, isChosen: label === 'Dark', onSelect: () => {} }))
    render(<Menu label="Fruit" trigger="Theme" items={items} />)
    const states = screen.getAllByRole('menuitemradio').map((entry) => entry.getAttribute('aria-checked'))
    expect(states).toEqual(['false', 'true'])
    open()
    expect(focused()).toBe('Light')
  })
})
