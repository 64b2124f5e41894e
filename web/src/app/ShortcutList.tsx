import type { CurrentUser } from '@passport/contract/current-user'
import { useState } from 'react'
import { Dialog } from '../ui/Dialog.tsx'
import { listDestinations } from './destinations.ts'
import { areShortcutsEnabled, setShortcutsEnabled } from './shortcut-keys.ts'

interface ShortcutListProps {
  user: CurrentUser
  isOpen: boolean
  onClose: () => void
}

/** Lists the keyboard shortcuts and toggles the single-key ones. */
export function ShortcutList({ user, isOpen, onClose }: ShortcutListProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Keyboard shortcuts" className="w-[480px]">
      <Keys user={user} />
    </Dialog>
  )
}

function Keys({ user }: { user: CurrentUser }) {
  const [isEnabled, setEnabled] = useState(areShortcutsEnabled)
  const rows = [
    ['⌘K or Ctrl K', 'Search or jump to'],
    ['/', 'Focus search'],
    ['j k', 'Next or previous row'],
    ['x', 'Select row'],
    ['c', 'Create'],
    ['?', 'Keyboard shortcuts'],
    ...listDestinations(user).flatMap(({ keys, label }) => (keys ? [[keys, label]] : [])),
  ]
  return (
    <>
      <dl className={`mt-3 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1.5 ${isEnabled ? '' : 'text-ink3'}`}>
        {rows.map(([keys, description]) => (
          <div key={keys} className="contents">
            <dt className="font-mono text-[12px] leading-[21px] text-ink2">{keys}</dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex items-center gap-2.5 border-t border-line pt-4">
        <input
          type="checkbox"
          className="size-4 accent-stamp"
          checked={isEnabled}
          onChange={({ target }) => {
            setShortcutsEnabled(target.checked)
            setEnabled(target.checked)
          }}
        />
        Enable single-key shortcuts
      </label>
    </>
  )
}
