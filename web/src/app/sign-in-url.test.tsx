import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { parseSearch, stringifySearch } from './search.ts'
import { useSignInUrl } from './sign-in-url.ts'

afterEach(cleanup)

test.for([
  ['/app/', '/app/'],
  ['/app/admin/users?query=ada#row', '/app/admin/users?query=ada#row'],
  ['/app/join/x?q=a%20b', '/app/join/x?q=a%20b'],
  ['/app/notfound?returnUrl=%2Fapp%2Fadmin%3Fq%3D1%23x', '/app/admin?q=1#x'],
] as const)('a sign-in from %s returns to %s', async ([shown, expected]) => {
  const router = createRouter({
    routeTree: createRootRoute({ notFoundComponent: ShownUrl, component: ShownUrl }),
    basepath: '/app',
    parseSearch,
    stringifySearch,
    history: createMemoryHistory({ initialEntries: [shown] }),
  })
  render(<RouterProvider router={router as never} />)
  const { href } = await screen.findByRole<HTMLAnchorElement>('link')
  expect(new URL(href).searchParams.get('returnUrl')).toBe(expected)
})

function ShownUrl() {
  return <a href={useSignInUrl()}>Sign in</a>
}
