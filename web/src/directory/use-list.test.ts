import { listOrgMembers } from '@passport/contract/orgs'
import { afterEach, expect, test, vi } from 'vitest'
import { loadAllRows } from './use-list.ts'

afterEach(() => vi.unstubAllGlobals())

test('loadAllRows reads every page, with the search and the filters', async () => {
  const requests: string[] = []
  vi.stubGlobal(
    'fetch',
    vi.fn(async ({ url }: Request) => {
      const { searchParams } = new URL(url)
      requests.push(searchParams.toString())
      const page = Number(searchParams.get('page'))
      const next = page < 3 ? `/passport/admin/orgs/o/members?limit=200&after=a${page}&page=${page + 1}` : null
      return Response.json({ items: [{ id: `m${page}` }], page, limit: 200, total: 3, next })
    }),
  )
  const rows = await loadAllRows(listOrgMembers, { params: { orgId: 'o' }, query: { query: 'ana', role: 'member' } })
  expect(rows.map(({ id }) => id)).toEqual(['m1', 'm2', 'm3'])
  expect(requests).toEqual([
    'query=ana&role=member&limit=200&page=1',
    'query=ana&role=member&limit=200&page=2&after=a1',
    'query=ana&role=member&limit=200&page=3&after=a2',
  ])
})
