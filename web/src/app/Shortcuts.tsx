import type { CurrentUser } from '@passport/contract/current-user'
import { useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { openPalette } from './palette-store.ts'
import { destinationsFor } from './role-pages.ts'
import { areShortcutsOn, isTyping, setShortcutsOn } from './shortcut-keys.ts'

/** The first key of a pair waits so long for the second. */
const pairMs = 1200

/** Listens to the keyboard: ⌘K and Ctrl K always, the single keys unless they are turned off, and never while one types. */
export function Shortcuts({ user }: { user: CurrentUser }) {
  const router = useRouter()
  const [isListOpen, setListOpen] = useState(false)

  useEffect(() => {
    let first = ''
    let forget = 0
    const targets = new Map<string, string>(
      destinationsFor(user).flatMap(({ keys, to }) => (keys ? [[keys, to] as const] : [])),
    )

    function press(event: KeyboardEvent) {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return openPalette()
      }
      // A list that has the key took it.
      if (event.defaultPrevented) return
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || !areShortcutsOn()) return
      const to = targets.get(`${first} ${event.key}`)
      clearTimeout(forget)
      first = event.key
      forget = window.setTimeout(() => {
        first = ''
      }, pairMs)
      if (to) void router.navigate({ to })
      else if (event.key === '?') setListOpen(true)
      else if (event.key === '/') openPalette()
      else return
      first = ''
      event.preventDefault()
    }
    addEventListener('keydown', press)
    return () => {
      removeEventListener('keydown', press)
      clearTimeout(forget)
    }
  }, [router, user])

  return (
    <Dialog isOpen={isListOpen} onClose={() => setListOpen(false)} title="Keyboard shortcuts" className="w-[480px]">
      <ShortcutList user={user} />
    </Dialog>
  )
}

function ShortcutList({ user }: { user: CurrentUser }) {
  const [isOn, setOn] = useState(areShortcutsOn)
  const rows = [
    ['⌘K or Ctrl K', 'Search or jump to'],
    ['/', 'The same; in a list its search'],
    ['j k', 'In a list: next row, the one before'],
    ['x', 'In a list: select the row'],
    ['c', 'In a list: create one'],
    ['?', 'This list'],
    ...destinationsFor(user).flatMap(({ keys, label }) => (keys ? [[keys, label]] : [])),
  ]
  return (
    <>
      <dl className={`mt-3 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 ${isOn ? '' : 'text-ink3'}`}>
        {rows.map(([keys, what]) => (
          <div key={keys} className="contents">
            <dt className="font-mono text-[12px] leading-[21px] text-ink2">{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex items-center gap-2.5 border-t border-line pt-4">
        <input
          type="checkbox"
          className="size-4 accent-stamp"
          checked={isOn}
          onChange={({ target }) => {
            setShortcutsOn(target.checked)
            setOn(target.checked)
          }}
        />
        Single keys are on
      </label>
    </>
  )
}
