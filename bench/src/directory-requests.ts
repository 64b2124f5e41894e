import type { BenchRequest } from './latencies.ts'

/** A running server with a seeded directory, and the headers of a signed-in administrator. */
export interface Target {
  url: string
  headers: Record<string, string>
}

interface Page {
  items: { id: string; version: number; displayname?: string }[]
  next: string | null
  watermark?: string
}

/** Creates the measured requests by name. Each call of a function returns the same request for the next record. */
export async function createRequests(target: Target): Promise<Record<string, () => BenchRequest>> {
  const getPage = async (path: string) => (await (await fetch(new URL(path, target.url), target)).json()) as Page
  const users = await getPage('/passport/admin/users?limit=200&page=7')
  const groups = (await getPage('/passport/groups?limit=200&page=2')).items
  const pagePaths = await collectPagePaths(getPage, '/passport/admin/users?limit=50', 20)
  const changesPath = await changeGroups(target, getPage, groups.slice(0, 100), users)
  const nextUser = createRoundRobin(users.items)
  const nextGroup = createRoundRobin(groups)
  const nextPagePath = createRoundRobin(pagePaths)
  const nextWord = createRoundRobin(['ana', 'ber', 'lars', 'zo', 'grun', 'søren', 'lin', 'que', 'wei', 'tomas ro'])
  const searchPath = (query: string) => `/passport/admin/users?limit=50&query=${encodeURIComponent(query)}`
  return {
    'list of users': () => ({ path: nextPagePath() }),
    'search by prefix': () => ({ path: searchPath(nextWord()) }),
    'search by id': () => ({ path: searchPath(nextUser().id) }),
    group: () => ({ path: `/passport/groups/${nextGroup().id}` }),
    'group, not modified (304)': () => {
      const { id, version } = nextGroup()
      return { path: `/passport/groups/${id}`, headers: { 'if-none-match': `"${version}"` }, status: 304 }
    },
    'groups changed since': () => ({ path: changesPath }),
    '10 members added': () => ({
      path: `/passport/groups/${nextGroup().id}/members/add`,
      method: 'POST',
      body: { members: Array.from({ length: 10 }, () => nextUser().id) },
    }),
  }
}

/** Collects the paths of the first `count` pages of a list by following its cursors. */
async function collectPagePaths(
  getPage: (path: string) => Promise<Page>,
  first: string,
  count: number,
): Promise<string[]> {
  const paths = [first]
  while (paths.length < count) {
    const { next } = await getPage(paths.at(-1) ?? first)
    if (!next) break
    paths.push(next)
  }
  return paths
}

/** Adds a member to each group, updates the versions in `groups`, and returns the path that lists the changes. */
async function changeGroups(
  target: Target,
  getPage: (path: string) => Promise<Page>,
  groups: Page['items'],
  users: Page,
) {
  const { watermark } = await getPage(`/passport/groups?limit=1&updatedSince=${new Date().toISOString()}`)
  const headers = { ...target.headers, 'content-type': 'application/json' }
  for (const [index, { id }] of groups.entries()) {
    const body = JSON.stringify({ members: [users.items[index]?.id] })
    const response = await fetch(new URL(`/passport/groups/${id}/members/add`, target.url), {
      method: 'POST',
      headers,
      body,
    })
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    await response.text()
  }
  const changedGroups = await Promise.all(groups.map(({ id }) => getPage(`/passport/groups/${id}`) as Promise<unknown>))
  for (const [index, group] of (changedGroups as Page['items']).entries())
    Object.assign(groups[index] ?? {}, { version: group.version })
  return `/passport/groups?limit=50&updatedSince=${watermark}`
}

/** Creates a function that returns the items in turn, and starts over after the last. */
function createRoundRobin<T>(items: T[]): () => T {
  let index = 0
  return () => {
    const item = items[index++ % items.length]
    if (item === undefined) throw new Error('No records to measure')
    return item
  }
}
