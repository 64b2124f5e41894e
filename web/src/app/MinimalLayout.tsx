import { Outlet } from '@tanstack/react-router'
import { SessionBar } from './SessionBar.tsx'

/** A layout without navigation, for pages of a flow that leads elsewhere. */
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
