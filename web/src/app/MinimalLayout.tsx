import { Outlet } from '@tanstack/react-router'

/** Nothing but the page: for steps that lead elsewhere. */
export function MinimalLayout() {
  return (
    <main id="main" className="grid min-h-dvh place-items-center px-4 py-8">
      <Outlet />
    </main>
  )
}
