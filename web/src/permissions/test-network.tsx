import type { PermissionSchema } from '@passport/contract/permission-schema'
import { QueryClientProvider } from '@tanstack/react-query'
import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { render } from '@testing-library/react'
import type { ReactNode } from 'react'
import { vi } from 'vitest'
import { queryClient } from '../app/query-client.ts'
import { parseSearch, stringifySearch } from '../app/search.ts'

/** A request sent by the page. */
export interface Sent {
  call: string
  query: Record<string, string>
  body: unknown
  ifMatch: string | null
}

type Responder = (sent: Sent) => unknown

const tools = '/passport/admin/tools/permissions'

/**
 * Mocks the network: responders are called by method and path, such as `POST check`, and return a body, a `Response` or a
 * promise. Returns the sent requests.
 */
export function mockNetwork(responders: Record<string, Responder>): Sent[] {
  const requests: Sent[] = []
  vi.stubGlobal('fetch', async (request: Request) => {
    const { pathname, searchParams } = new URL(request.url)
    const call = `${request.method} ${pathname.replace(`${tools}/`, '')}`
    const text = request.method === 'GET' ? '' : await request.text()
    const isJson = request.headers.get('content-type') === 'application/json'
    const body = isJson && text ? JSON.parse(text) : text
    const sent = { call, query: Object.fromEntries(searchParams), body, ifMatch: request.headers.get('if-match') }
    requests.push(sent)
    const response = await responders[call]?.(sent)
    if (response instanceof Response) return response
    return response === undefined
      ? new Response(null, { status: 204 })
      : Response.json(response, { headers: { etag: '"v1"' } })
  })
  return requests
}

/** Creates an error response of the service. */
export const createProblem = (status: number, code: string, detail: string, field?: string): Response =>
  Response.json(
    {
      type: '',
      title: '',
      status,
      detail,
      code,
      traceId: 't',
      ...(field && { errors: [{ field, code, message: detail }] }),
    },
    { status },
  )

/** Renders a component at a URL of the app; returns a function that reads the search parameters. */
export function renderAt(url: string, component: () => ReactNode) {
  queryClient.clear()
  const history = createMemoryHistory({ initialEntries: [url] })
  const routeTree = createRootRoute({ component, notFoundComponent: component })
  const router = createRouter({ routeTree, history, parseSearch, stringifySearch })
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  )
  return () => parseSearch(history.location.search)
}

/** A schema with users, documents and a ban. */
export const schema: PermissionSchema = {
  text: 'definition user {}\n\ndefinition document {\n  relation viewer: user\n  relation banned: user\n  permission view = viewer - banned\n}\n',
  readAt: 'r1',
  definitions: [
    { name: 'user', relations: [], permissions: [] },
    {
      name: 'document',
      relations: [
        { name: 'viewer', allowed: [{ type: 'user' }] },
        { name: 'banned', allowed: [{ type: 'user' }] },
      ],
      permissions: [{ name: 'view', expression: 'viewer - banned', subjects: [{ type: 'user' }] }],
    },
  ],
  caveats: [{ name: 'office_hours', parameters: [{ name: 'hour', type: { name: 'int' } }], expression: 'hour > 8' }],
}
