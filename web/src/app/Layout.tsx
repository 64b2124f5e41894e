import { Outlet, useRouterState } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { hasRole } from './current-user.ts'
import { useOpenDialog } from './open-dialog.ts'
import { Palette } from './Palette.tsx'
import { useCurrentUser } from './page-user.ts'
import { SessionBar } from './SessionBar.tsx'
import { Shortcuts } from './Shortcuts.tsx'
import { Sidebar } from './Sidebar.tsx'
import { TopBar } from './TopBar.tsx'

/** The shell: a sidebar for users with a role, a top bar for everyone, and the page. */
export function Layout() {
  const user = useCurrentUser()
  const [isOpen, setOpen] = useState(false)
  const isPaletteOpen = useOpenDialog() === 'palette'
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useEffect(() => setOpen(false), [path])
  useEffect(() => {
    if (!isOpen) return
    const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
    addEventListener('keydown', close)
    return () => removeEventListener('keydown', close)
  }, [isOpen])

  const isAdmin = hasRole(user, 'Passport.Admin')
  const hasSidebar = isAdmin || hasRole(user, 'Passport.Developer')
  const isNarrow = /^\/(account|developer)/.test(path) || (path === '/' && !isAdmin)
  return (
    <div className={`min-h-dvh ${hasSidebar ? 'grid nav:grid-cols-[232px_minmax(0,1fr)]' : ''}`}>
      <a href="#main" className="btn fixed top-2 left-2 z-50 -translate-y-20 focus:translate-y-0">
        Skip to content
      </a>
      {user && hasSidebar && <Sidebar user={user} isOpen={isOpen} onClose={() => setOpen(false)} />}
      <div className="min-w-0">
        <TopBar onOpenNavigation={hasSidebar ? () => setOpen(true) : undefined} isNavigationOpen={isOpen} />
        <SessionBar />
        <main
          id="main"
          tabIndex={-1}
          className={`mx-auto px-4 py-5 outline-none sm:px-8 sm:py-7 ${isNarrow ? 'max-w-[1024px]' : 'max-w-[1240px]'}`}
        >
          <Outlet />
        </main>
      </div>
      {user && <Shortcuts user={user} />}
      {user && isPaletteOpen && <Palette user={user} />}
    </div>
  )
}
