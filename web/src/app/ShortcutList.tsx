import type { CurrentUser } from '@passport/contract/current-user'
import { X } from 'lucide-react'
import { useState } from 'react'
import { hasRole } from './current-user.ts'
import { type Destination, listSections, signedInPages } from './destinations.ts'
import { commandKey, KeyCaps } from './KeyCaps.tsx'
import { areShortcutsEnabled, setShortcutsEnabled } from './shortcut-keys.ts'

/** Alternative key combinations, and the operation that they run. */
type Shortcut = [combinations: string[], operation: string]

type Group = [where: string, shortcuts: Shortcut[]]

/** Returns the shortcuts of a user, grouped by where they work. */
function listShortcuts(user: CurrentUser): Group[] {
  const isAdmin = hasRole(user, 'Passport.Admin')
  const onAdminLists: Shortcut[] = [
    [['x'], 'Select row'],
    [['c'], 'Create'],
  ]
  const graph: Shortcut[] = [
    [['←', '→', '↑', '↓'], 'Follow a relation'],
    [['+'], 'Expand'],
    [['Enter'], 'Show details'],
  ]
  return [
    [
      'Anywhere',
      [
        [[`${commandKey} K`, '/'], 'Search or run a command'],
        [['?'], 'Keyboard shortcuts'],
        [['Esc'], 'Close'],
      ],
    ],
    [
      'In a list',
      [
        [['/'], 'Search the list'],
        [['j', 'k'], 'Next or previous row'],
        [['Enter'], 'Open row'],
        ...(isAdmin ? onAdminLists : []),
      ],
    ],
    ['In a form', [[[`${commandKey} S`], 'Save']]],
    ...(isAdmin ? [['In the graph of relations', graph] satisfies Group] : []),
  ]
}

/** Returns the shortcuts to the pages that a user may open, in the sections of the navigation. */
function listPageShortcuts(user: CurrentUser): Group[] {
  const toShortcuts = (pages: Destination[]) =>
    pages.flatMap(({ keys, label }): Shortcut[] => (keys ? [[[keys], label]] : []))
  return [
    ['Account', toShortcuts(signedInPages)],
    ...listSections(user).map(({ title, pages }): Group => [title, toShortcuts(pages)]),
  ]
}

/** Reports whether the user can turn a combination off. */
const isSingleKey = (keys: string) => /^(?:[a-z?/]|g [a-z])$/.test(keys)

/** Lists the keyboard shortcuts, those to pages apart, and toggles the single-key ones. */
export function ShortcutList({ user }: { user: CurrentUser }) {
  const [isEnabled, setEnabled] = useState(areShortcutsEnabled)
  return (
    <>
      {/* Stays in view while the list scrolls. */}
      <form method="dialog" className="sticky top-0 z-10 -mt-7.5 flex justify-end">
        <button type="submit" aria-label="Close" className="btn btn-ghost -mt-1 h-9 bg-card px-2 text-ink2">
          <X size={18} />
        </button>
      </form>
      <div className="mt-3 grid gap-x-8 gap-y-5 sm:grid-cols-[minmax(0,4fr)_minmax(0,7fr)]">
        <div>
          <Groups groups={listShortcuts(user)} isEnabled={isEnabled} />
        </div>
        <div className="sm:pl-9">
          <p className="mb-3 font-[620] sm:sr-only">Go to</p>
          <div className="gap-x-8 sm:columns-2">
            <Groups groups={listPageShortcuts(user)} isEnabled={isEnabled} />
          </div>
        </div>
      </div>
      <label className="sticky -bottom-5 -mx-5 -mb-5 flex items-center gap-2.5 border-t border-line bg-card px-5 py-4">
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

const Groups = ({ groups, isEnabled }: { groups: Group[]; isEnabled: boolean }) =>
  groups.map(([where, shortcuts]) => (
    <section key={where} className="mb-4 break-inside-avoid-column">
      <h3 className="mb-1 text-[12px] font-[560] text-ink3">{where}</h3>
      <dl>
        {shortcuts.map(([combinations, operation]) => (
          <div key={operation} className="flex flex-row-reverse items-center justify-between gap-4 py-1">
            <dt className="flex shrink-0 gap-2.5">
              {combinations.map((keys) => (
                <KeyCaps key={keys} keys={keys} isOff={!isEnabled && isSingleKey(keys)} />
              ))}
            </dt>
            <dd>{operation}</dd>
          </div>
        ))}
      </dl>
    </section>
  ))
