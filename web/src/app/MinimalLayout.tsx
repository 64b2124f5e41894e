import { Outlet } from '@tanstack/react-router'
import { SessionBar } from './SessionBar.tsx'

/** Nothing but the page, and who is signed in: for steps that lead elsewhere. */
export function MinimalLayout() {
  return (
    <>
      <SessionBar />
      <main id="main" className="grid min-h-dvh place-items-center px-4 py-8">
        <Outlet />
      </main>
    </>
  )
}
