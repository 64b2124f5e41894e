import type { BenchRequest } from './latencies.ts'

/** A running service with a directory, and the headers of a signed-in administrator. */
export interface Directory {
  url: string
  headers: Record<string, string>
}

interface Page {
  items: { id: string; version: number; displayname?: string }[]
  next: string | null
  watermark?: string
}

/** Creates the measured requests by name. Each call returns a request of the same kind for another record. */
export async function createRequests(directory: Directory): Promise<Record<string, () => BenchRequest>> {
  const get = async (path: string) => (await (await fetch(new URL(path, directory.url), directory)).json()) as Page
  const users = await get('/passport/admin/users?limit=200&page=7')
  const groups = (await get('/passport/groups?limit=200&page=2')).items
  const pages = await collectPagePaths(get, '/passport/admin/users?limit=50', 20)
  const changes = await changeGroups(directory, get, groups.slice(0, 100), users)
  const user = createCycle(users.items)
  const group = createCycle(groups)
  const page = createCycle(pages)
  const word = createCycle(['ana', 'ber', 'lars', 'zo', 'grun', 'søren', 'lin', 'que', 'wei', 'tomas ro'])
  const list = (query: string) => `/passport/admin/users?limit=50&query=${encodeURIComponent(query)}`
  return {
    'list of users': () => ({ path: page() }),
    'search by prefix': () => ({ path: list(word()) }),
    'search by id': () => ({ path: list(user().id) }),
    group: () => ({ path: `/passport/groups/${group().id}` }),
    'group, not changed (304)': () => {
      const { id, version } = group()
      return { path: `/passport/groups/${id}`, headers: { 'if-none-match': `"${version}"` }, status: 304 }
    },
    'changes of groups since': () => ({ path: changes }),
    '10 members added': () => ({
      path: `/passport/groups/${group().id}/members/add`,
      method: 'POST',
      body: { members: Array.from({ length: 10 }, () => user().id) },
    }),
  }
}

/** Returns the paths of the first pages of a list, following its cursors. */
async function collectPagePaths(get: (path: string) => Promise<Page>, first: string, count: number): Promise<string[]> {
  const paths = [first]
  while (paths.length < count) {
    const { next } = await get(paths.at(-1) ?? first)
    if (!next) break
    paths.push(next)
  }
  return paths
}

/** Changes some groups, updates their versions in `groups`, and returns the path that lists the changes. */
async function changeGroups(
  directory: Directory,
  get: (path: string) => Promise<Page>,
  groups: Page['items'],
  users: Page,
) {
  const { watermark } = await get(`/passport/groups?limit=1&updatedSince=${new Date().toISOString()}`)
  const headers = { ...directory.headers, 'content-type': 'application/json' }
  for (const [index, { id }] of groups.entries()) {
    const body = JSON.stringify({ members: [users.items[index]?.id] })
    const response = await fetch(new URL(`/passport/groups/${id}/members/add`, directory.url), {
      method: 'POST',
      headers,
      body,
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    await response.text()
  }
  const changedGroups = await Promise.all(groups.map(({ id }) => get(`/passport/groups/${id}`) as Promise<unknown>))
  for (const [index, group] of (changedGroups as Page['items']).entries())
    Object.assign(groups[index] ?? {}, { version: group.version })
  return `/passport/groups?limit=50&updatedSince=${watermark}`
}

/** Creates a function that returns the items in turn. */
function createCycle<T>(items: T[]): () => T {
  let index = 0
  return () => {
    const item = items[index++ % items.length]
    if (item === undefined) throw new Error('No records to measure')
    return item
  }
}
