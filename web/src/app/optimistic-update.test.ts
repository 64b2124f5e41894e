import { listGroupMembers } from '@passport/contract/groups'
import { listUsers, type UserSummary } from '@passport/contract/users'
import { afterEach, expect, test } from 'vitest'
import { query } from './api.ts'
import { appendRows, editResponse, editRows, updateOptimistically } from './optimistic-update.ts'
import { queryClient } from './query-client.ts'

const firstPage = query(listUsers, { query: { page: 1 } }).queryKey
const secondPage = query(listUsers, { query: { page: 2 } }).queryKey

const createPage = (page: number, ids: string[]) => ({
  items: ids.map((id) => ({ id, disabled: false }) as UserSummary),
  page,
  limit: 2,
  total: 4,
  next: null,
})

function cachePages() {
  queryClient.setQueryData(firstPage, createPage(1, ['ana', 'bo']))
  queryClient.setQueryData(secondPage, createPage(2, ['cleo', 'dan']))
}

const readRows = () =>
  [firstPage, secondPage].flatMap((key) =>
    (queryClient.getQueryData(key)?.items ?? []).map(({ id, disabled }) => `${id}${disabled ? ' disabled' : ''}`),
  )

afterEach(() => queryClient.clear())

test('an optimistic update changes the rows of every cached page before the call ends', async () => {
  cachePages()
  const edit = editRows(listUsers, {}, (user) => (user.id === 'dan' ? { ...user, disabled: true } : user))
  const { promise, resolve } = Promise.withResolvers<string>()
  const update = updateOptimistically([edit], () => promise)
  await Promise.resolve()
  await expect.poll(readRows).toEqual(['ana', 'bo', 'cleo', 'dan disabled'])
  resolve('done')
  expect(await update).toBe('done')
  expect(readRows()).toEqual(['ana', 'bo', 'cleo', 'dan disabled'])
})

test('removing a row lowers the total of its page', async () => {
  cachePages()
  await updateOptimistically(
    [editRows(listUsers, {}, (user) => (user.id === 'ana' ? undefined : user))],
    async () => {},
  )
  expect(readRows()).toEqual(['bo', 'cleo', 'dan'])
  expect(queryClient.getQueryData(firstPage)?.total).toBe(3)
})

test('an edit is limited to requests with its params', async () => {
  const keys = ['a', 'b'].map(
    (groupId) => query(listGroupMembers, { params: { groupId }, query: { page: 1 } }).queryKey,
  )
  for (const key of keys) queryClient.setQueryData(key, { ...createPage(1, []), total: 0 } as never)
  const row = { id: 'ana', displayname: 'Ana', username: null, avatarPngUrl: null, addedAt: '2026-11-23T12:00:00Z' }
  await updateOptimistically([appendRows(listGroupMembers, { params: { groupId: 'b' } }, [row])], async () => {})
  const pages = keys.map((key) => queryClient.getQueryData(key))
  expect(pages.map((page) => page?.items.length)).toEqual([0, 1])
  expect(pages.map((page) => page?.total)).toEqual([0, 1])
})

test('a failed call restores the previous data and rejects with its error', async () => {
  cachePages()
  const failure = new Error('refused')
  const edits = [
    editRows(listUsers, {}, () => undefined),
    editResponse(listUsers, { query: { page: 2 } }, (page) => ({ ...page, total: 0 })),
  ]
  const update = updateOptimistically(edits, () => Promise.reject(failure))
  await expect(update).rejects.toBe(failure)
  expect(readRows()).toEqual(['ana', 'bo', 'cleo', 'dan'])
  expect(queryClient.getQueryData(secondPage)?.total).toBe(4)
})

test('a response that was requested before the update does not undo it', async () => {
  cachePages()
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof createPage>>()
  const outdated = queryClient.fetchQuery({ queryKey: firstPage, queryFn: () => promise }).catch(() => undefined)
  await updateOptimistically([editRows(listUsers, {}, () => undefined)], async () => {})
  resolve(createPage(1, ['ana', 'bo']))
  await outdated
  expect(readRows()).toEqual([])
})
