import { type KeyboardEvent, type ReactNode, useRef } from 'react'
import { Popover } from './Popover.tsx'

export interface MenuItem {
  label: string
  icon?: ReactNode
  isDanger?: boolean
  /** Marks the selected item of a choice. */
  isChosen?: boolean
  /** A document of the server, opened as a link. */
  href?: string
  onSelect?: () => void
}

interface MenuProps {
  label: string
  trigger: ReactNode
  items: MenuItem[]
  /** Classes of the button. */
  className?: string
  onOpen?: () => void
}

/** A button with a top-layer menu. Arrows, Home, End and first letters move; Escape and an outside click close. */
export function Menu({ label, trigger, items, className = 'btn btn-ghost px-2', onOpen }: MenuProps) {
  const menu = useRef<HTMLDivElement>(null)
  const entries = () => [...(menu.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])]

  function move(event: KeyboardEvent) {
    if (event.key === 'Tab') return menu.current?.hidePopover()
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const all = entries()
    const index = all.indexOf(document.activeElement as HTMLElement)
    const target = findTargetIndex(event.key, index, all)
    if (target === undefined) return
    event.preventDefault()
    all[(target + all.length) % all.length]?.focus()
  }

  return (
    <Popover
      ref={menu}
      role="menu"
      label={label}
      trigger={trigger}
      buttonClassName={className}
      className="min-w-48"
      onKeyDown={move}
      onToggle={(event) => {
        if ((event as unknown as ToggleEvent).newState !== 'open') return
        entries()[0]?.focus()
        onOpen?.()
      }}
    >
      {items.map(({ label, icon, isDanger, isChosen, href, onSelect }) => {
        const shared = {
          tabIndex: -1,
          className: `pop-item ${isDanger ? 'text-bad' : ''} ${isChosen ? 'font-[620]' : ''}`,
          onClick: () => {
            menu.current?.hidePopover()
            onSelect?.()
          },
        }
        if (href !== undefined)
          return (
            <a key={label} href={href} role="menuitem" {...shared}>
              {icon}
              {label}
            </a>
          )
        return (
          <button
            key={label}
            type="button"
            {...(isChosen === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChosen })}
            {...shared}
          >
            {icon}
            {label}
            {isChosen && <span className="ml-auto text-stamp">✓</span>}
          </button>
        )
      })}
    </Popover>
  )
}

/** Returns the index that a key moves to from `index`; undefined for other keys. */
function findTargetIndex(key: string, index: number, all: HTMLElement[]): number | undefined {
  if (key === 'ArrowDown') return index + 1
  if (key === 'ArrowUp') return index - 1
  if (key === 'Home') return 0
  if (key === 'End') return all.length - 1
  if (key.length !== 1) return undefined
  const later = [...all.keys()].map((step) => (index + 1 + step) % all.length)
  return later.find((entry) => all[entry]?.textContent?.trim().toLowerCase().startsWith(key.toLowerCase()))
}
