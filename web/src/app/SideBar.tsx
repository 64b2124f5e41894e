import type { CurrentUser } from '@passport/contract/current-user'
import { Link, useRouterState } from '@tanstack/react-router'
import { copyText } from '../ui/copy.ts'
import { formatMachineReadableLines } from '../ui/mrz.ts'
import { toast } from '../ui/toast.ts'
import { Brand } from './Brand.tsx'
import { findPlace, homePage, listSections } from './destinations.ts'

interface SideBarProps {
  user: CurrentUser
  /** On narrow screens, whether the drawer is open. */
  isOpen: boolean
  onClose: () => void
}

export function SideBar({ user, isOpen, onClose }: SideBarProps) {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const currentPage = findPlace(user, path)?.page
  const drawerClass = isOpen ? '' : 'max-md:invisible max-md:-translate-x-full'
  return (
    <>
      {isOpen && (
        <button
          type="button"
          aria-label="Close navigation"
          className="fixed inset-0 z-30 bg-shade md:hidden"
          onClick={onClose}
        />
      )}
      <nav
        aria-label="Main"
        className={`guilloche fixed inset-y-0 z-40 flex w-[232px] flex-col overflow-y-auto border-r border-line bg-well px-3 pb-3 transition-transform md:sticky md:top-0 md:h-dvh md:translate-x-0 ${drawerClass}`}
      >
        <Brand className="px-2 [&_span]:not-sr-only" />
        {[{ title: '', pages: [homePage] }, ...listSections(user)].map(({ title, pages }) => (
          <div key={title} className={title ? 'mt-4' : ''}>
            {title && <h2 className="px-2 pb-1 text-[12px] font-[560] tracking-normal text-ink3">{title}</h2>}
            <ul>
              {pages.map(({ label, to, icon: Icon }) => (
                <li key={to}>
                  <Link
                    to={to}
                    // The router marks the page itself, this the pages below it and its alias.
                    activeOptions={{ exact: true, includeSearch: false }}
                    aria-current={currentPage?.to === to ? 'page' : undefined}
                    className="flex h-8 items-center gap-2.5 rounded-ctl px-2 text-ink2 hover:bg-[color-mix(in_oklch,var(--ink)_5%,transparent)] aria-[current]:bg-card aria-[current]:font-[600] aria-[current]:text-ink aria-[current]:shadow-[0_0_0_1px_var(--line)] pointer-coarse:h-11 [&[aria-current]_svg]:text-stamp"
                  >
                    <Icon size={16} strokeWidth={1.75} />
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </div>
        ))}
        <MachineReadableLine user={user} />
      </nav>
    </>
  )
}

/** The footer, like a passport's machine-readable zone: the signed-in user, with a button to copy the id. */
function MachineReadableLine({ user: { claims } }: { user: CurrentUser }) {
  const lines = formatMachineReadableLines(claims.name ?? claims.preferred_username ?? '', claims.sub, 30)
  async function copy() {
    if (await copyText(claims.sub)) await toast({ id: 'copied', type: 'success', content: 'ID copied' })
  }
  return (
    <button
      type="button"
      className="mt-auto overflow-hidden rounded-md px-1 pt-6 pb-1 text-left font-mono text-[10px] leading-[1.6] tracking-[.06em] whitespace-nowrap text-ink3"
      title="Copy your ID"
      onClick={copy}
    >
      <span className="sr-only">Copy your ID</span>
      {lines.map((line) => (
        <span key={line} aria-hidden="true" className="block">
          {line}
        </span>
      ))}
    </button>
  )
}
