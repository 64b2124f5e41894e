import { Outlet } from '@tanstack/react-router'
import { SessionBar } from './SessionBar.tsx'

/** A layout with only the session bar and the page, for steps that lead elsewhere. */
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
