import { endpoints } from '@passport/contract/api'
import { listAdmittedScopes } from '@passport/contract/endpoint'
import { QueryObserver } from '@tanstack/react-query'
import { afterEach, expect, test } from 'vitest'
import { findPageCall, findPageEndpoints } from './page-call.ts'
import { pageCalls } from './page-calls.ts'
import { queryClient } from './query-client.ts'
import { formatCurl } from './shell-command.ts'

const active: (() => void)[] = []
afterEach(() => {
  for (const end of active.splice(0)) end()
  queryClient.clear()
})

/** Shows a page that has loaded queries with these keys. */
function showPage(path: string, ...keys: unknown[][]) {
  history.replaceState(null, '', path)
  for (const queryKey of keys) {
    const options = { queryKey, queryFn: () => ({}), initialData: {}, staleTime: Number.POSITIVE_INFINITY }
    active.push(new QueryObserver(queryClient, options).subscribe(() => undefined))
  }
}

test.for([
  ['/app/admin/users', '/passport/admin/users'],
  ['/app/admin/users/0199', '/passport/admin/users/{userId}'],
  ['/app/admin/orgs/0199/members', '/passport/admin/orgs/{orgId}/members'],
  ['/app/admin/roles/My%20Role', '/passport/admin/roles/{name}'],
  ['/app/admin/identity/apis/0199/activity', '/passport/admin/audit'],
  ['/app/admin/users/create', undefined],
  ['/app/account/groups/0199', undefined],
  ['/app/', undefined],
] as const)('%s has the call %s', ([page, endpoint]) => {
  expect(findPageEndpoints(page)?.[0]).toBe(endpoint)
})

test('an application may make the call of every page', () => {
  const isOpen = (path: string) =>
    [...endpoints.values()].some(
      (endpoint) => endpoint.path === path && listAdmittedScopes(endpoint).includes('passport.admin'),
    )
  expect([...new Set(Object.values(pageCalls).flat())].filter((path) => !isOpen(path))).toEqual([])
})

test('the call of a list is that with its page, not one that counts rows', () => {
  const path = '/passport/admin/users/invitations'
  showPage(
    '/app/admin/users/invitations',
    [path, { query: { status: 'open', limit: 1 } }],
    [path, { query: { query: `it's "$HOME" \`id\` [a-b] {é}`, limit: 25, page: 1, after: undefined } }],
  )
  expect(formatCurl(findPageCall() ?? { url: '' })).toBe(
    `curl '${location.origin}${path}?query=it%27s+%22%24HOME%22+%60id%60+%5Ba-b%5D+%7B%C3%A9%7D&limit=25&page=1' -H "Authorization: Bearer $TOKEN"`,
  )
})

test('the call of a record has its id as one segment, and none of another page', () => {
  showPage('/app/admin/roles/a', ['/passport/admin/roles/{name}', { params: { name: 'a/b?c#d' } }], ['/other', {}])
  expect(findPageCall()).toEqual({ url: `${location.origin}/passport/admin/roles/a%2Fb%3Fc%23d` })
  showPage('/app/admin/health')
  expect(findPageCall()).toBeUndefined()
})

test('a call with a body is a POST, also one of several in a query', () => {
  const body = { resourceType: 'document', permission: 'view', subject: { type: 'user', id: "o'neil" }, limit: 1000 }
  const path = '/passport/admin/tools/permissions/lookupresources'
  showPage('/app/admin/tools/permissions/lookupResources', ['lookup', [path, { body }], [path, { body: {} }]])
  expect(findPageCall()).toEqual({ url: `${location.origin}${path}`, body })
})
