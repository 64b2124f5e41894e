import type { CurrentUser } from '@passport/contract/current-user'
import { Link, useRouterState } from '@tanstack/react-router'
import { Brand } from './Brand.tsx'
import { type Destination, findPlace, homePage, listSections } from './destinations.ts'

interface SidebarProps {
  user: CurrentUser
  /** On narrow screens, whether the drawer is open. */
  isOpen: boolean
  onClose: () => void
}

export function Sidebar({ user, isOpen, onClose }: SidebarProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const place = findPlace(user, path)
  const sections = listSections(user)
  const drawerClass = isOpen ? '' : 'max-nav:invisible max-nav:-translate-x-full'
  return (
    <>
      {isOpen && (
        <button
          type="button"
          aria-label="Close navigation"
          className="fixed inset-0 z-30 bg-shade nav:hidden"
          onClick={onClose}
        />
      )}
      <nav
        aria-label="Main"
        className={`guilloche side-bar fixed inset-y-0 z-40 flex w-[264px] flex-col overflow-y-auto px-3 pb-3 transition-transform nav:sticky nav:top-0 nav:h-dvh nav:w-[232px] nav:translate-x-0 ${drawerClass}`}
      >
        <div className="sticky top-0 z-10 -mx-3 shrink-0 bg-inherit px-3">
          <Brand className="px-2" isNamed />
        </div>
        <Pages pages={[homePage]} current={place?.page} />
        {sections.map(({ title, pages }) => (
          // With all sections, the developers' would be below the end of most windows.
          <details key={title} open={sections.length === 1 || title !== 'Developer' || place?.section === title}>
            <summary>
              <h2>{title}</h2>
            </summary>
            <Pages pages={pages} current={place?.page} />
          </details>
        ))}
      </nav>
    </>
  )
}

function Pages({ pages, current }: { pages: Destination[]; current: Destination | undefined }) {
  return (
    <ul>
      {pages.map(({ label, to, icon: Icon }) => (
        <li key={to}>
          <Link
            to={to}
            // The router marks the page itself, this the pages below it and its alias.
            activeOptions={{ exact: true, includeSearch: false }}
            aria-current={current?.to === to ? 'page' : undefined}
          >
            <Icon size={16} strokeWidth={1.75} />
            {label}
          </Link>
        </li>
      ))}
    </ul>
  )
}
