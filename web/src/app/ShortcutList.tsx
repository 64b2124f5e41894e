import type { CurrentUser } from '@passport/contract/current-user'
import { useState } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { destinationsFor } from './role-pages.ts'
import { areShortcutsOn, setShortcutsOn } from './shortcut-keys.ts'

interface ShortcutListProps {
  user: CurrentUser
  isOpen: boolean
  onClose: () => void
}

/** Which keys lead where, and whether the single ones do. */
export function ShortcutList({ user, isOpen, onClose }: ShortcutListProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard shortcuts" className="w-[480px]">
      <Keys user={user} />
    </Dialog>
  )
}

function Keys({ user }: { user: CurrentUser }) {
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
