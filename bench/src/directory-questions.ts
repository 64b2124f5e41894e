import type { Asked } from './answer-times.ts'

/** A running service with a directory in it, and the headers of an administrator who is signed in. */
export interface Directory {
  url: string
  headers: Record<string, string>
}

interface Part {
  items: { id: string; version: number; displayname?: string }[]
  next: string | null
  watermark?: string
}

/** What is asked of a directory, by its name; each call of one of them gives another instance of the same question. */
export async function questionsOf(directory: Directory): Promise<Record<string, () => Asked>> {
  const get = async (path: string) => (await (await fetch(new URL(path, directory.url), directory)).json()) as Part
  const people = await get('/passport/admin/users?limit=200&page=7')
  const groups = (await get('/passport/groups?limit=200&page=2')).items
  const pages = await pathsOf(get, '/passport/admin/users?limit=50', 20)
  const changes = await changedGroups(directory, get, groups.slice(0, 100), people)
  const person = inTurn(people.items)
  const group = inTurn(groups)
  const page = inTurn(pages)
  const word = inTurn(['ana', 'ber', 'lars', 'zo', 'grun', 'søren', 'lin', 'que', 'wei', 'tomas ro'])
  const list = (query: string) => `/passport/admin/users?limit=50&query=${encodeURIComponent(query)}`
  return {
    'list of users': () => ({ path: page() }),
    'search by prefix': () => ({ path: list(word()) }),
    'search by id': () => ({ path: list(person().id) }),
    group: () => ({ path: `/passport/groups/${group().id}` }),
    'group, not changed (304)': () => {
      const { id, version } = group()
      return { path: `/passport/groups/${id}`, headers: { 'if-none-match': `"${version}"` }, status: 304 }
    },
    'changes of groups since': () => ({ path: changes }),
    '10 members added': () => ({
      path: `/passport/groups/${group().id}/members/add`,
      method: 'POST',
      body: { members: Array.from({ length: 10 }, () => person().id) },
    }),
  }
}

/** The first pages of a list, by the cursors that lead from one to the next. */
async function pathsOf(get: (path: string) => Promise<Part>, first: string, count: number): Promise<string[]> {
  const paths = [first]
  while (paths.length < count) {
    const { next } = await get(paths.at(-1) ?? first)
    if (!next) break
    paths.push(next)
  }
  return paths
}

/** Changes some groups; the path that reads what changed. */
async function changedGroups(
  directory: Directory,
  get: (path: string) => Promise<Part>,
  groups: Part['items'],
  people: Part,
) {
  const { watermark } = await get(`/passport/groups?limit=1&updatedSince=${new Date().toISOString()}`)
  const headers = { ...directory.headers, 'content-type': 'application/json' }
  for (const [at, { id }] of groups.entries()) {
    const body = JSON.stringify({ members: [people.items[at]?.id] })
    const answer = await fetch(new URL(`/passport/groups/${id}/members/add`, directory.url), {
      method: 'POST',
      headers,
      body,
    })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
    await answer.text()
  }
  const fresh = await Promise.all(groups.map(({ id }) => get(`/passport/groups/${id}`) as Promise<unknown>))
  for (const [at, group] of (fresh as Part['items']).entries())
    Object.assign(groups[at] ?? {}, { version: group.version })
  return `/passport/groups?limit=50&updatedSince=${watermark}`
}

/** One after the other, and round again. */
function inTurn<T>(all: T[]): () => T {
  let at = 0
  return () => {
    const one = all[at++ % all.length]
    if (one === undefined) throw new Error('There is nothing to ask for')
    return one
  }
}
