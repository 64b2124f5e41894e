import type { CurrentUser } from '@passport/contract/current-user'
import { useState } from 'react'
import { hasRole } from './current-user.ts'
import { type Destination, listSections, signedInPages } from './destinations.ts'
import { commandKey, KeyCaps } from './KeyCaps.tsx'
import { areShortcutsEnabled, setShortcutsEnabled } from './shortcut-keys.ts'

/** Alternative key combinations, and the operation that they run. */
type Shortcut = [combinations: string[], operation: string]

/** Returns the shortcuts of the pages that a user may open, grouped by place. */
function listShortcuts(user: CurrentUser): [where: string, shortcuts: Shortcut[]][] {
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
  // The overview of a section has no name of its own.
  const nameOf = (section: string, { to, label }: Destination) =>
    to.endsWith('/') ? `${section} ${label.toLowerCase()}` : label
  const pages = listSections(user).flatMap(({ title, pages }) =>
    pages.map((page) => ({ ...page, label: nameOf(title, page) })),
  )
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
    ...(isAdmin ? [['In the graph of relations', graph] satisfies [string, Shortcut[]]] : []),
    ['Go to', [...signedInPages, ...pages].flatMap(({ keys, label }): Shortcut[] => (keys ? [[[keys], label]] : []))],
  ]
}

/** Reports whether the user can turn a combination off. */
const isSingleKey = (keys: string) => /^(?:[a-z?/]|g [a-z])$/.test(keys)

/** Lists the keyboard shortcuts and toggles the single-key ones. */
export function ShortcutList({ user }: { user: CurrentUser }) {
  const [isEnabled, setEnabled] = useState(areShortcutsEnabled)
  return (
    <>
      <div className="mt-3 gap-x-8 sm:columns-2">
        {listShortcuts(user).map(([where, shortcuts]) => (
          <section key={where} className="mb-5 break-inside-avoid-column">
            <h3 className="mb-1 text-[12px] font-[560] text-ink3">{where}</h3>
            <dl>
              {shortcuts.map(([combinations, operation]) => (
                <div
                  key={operation}
                  className="flex flex-row-reverse items-center justify-between gap-4 border-t border-line py-1.5 first:border-0"
                >
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
        ))}
      </div>
      <label className="flex items-center gap-2.5 border-t border-line pt-4">
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
