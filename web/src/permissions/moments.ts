import type { Returned } from '@passport/contract/endpoint'
import { listRelationshipHistory } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions/relationship-text'
import { call } from '../app/api.ts'

type Change = Returned<typeof listRelationshipHistory>['items'][number]

/** A moment that can be gone back to: how things were before a change. */
export interface EarlierMoment {
  token: string
  /** When that change was made. */
  at: string
  /** “Added document:a#viewer@user:ada and 2 more”. */
  change: string
}

const words = { added: 'Added', changed: 'Changed', removed: 'Removed' }

/**
 * The moments before changes, from a history that has the newest first. Before one commit is after the one before it; of
 * the oldest that is known nobody can say what was before.
 */
export function momentsBefore(changes: readonly Change[]): EarlierMoment[] {
  const commits = Map.groupBy(changes, ({ token }) => token)
  const all = [...commits.values()]
  return all.slice(0, -1).map(([first, ...others], at) => {
    const { operation, relationship } = first as Change
    const { resource, relation, subject } = relationship
    const text = `${words[operation]} ${printRelationship({ resource, relation, subject })}`
    return {
      token: all[at + 1]?.[0]?.token ?? '',
      at: (first as Change).at,
      change: others.length > 0 ? `${text} and ${others.length.toLocaleString('en')} more` : text,
    }
  })
}

const pageSize = 1000
/** Further back than so many pages nobody waits for. */
const mostPages = 20

/** The token of the last change until a moment; undefined where the history does not go back so far. */
export async function tokenAt(moment: number): Promise<string | undefined> {
  let cursor: string | null | undefined
  for (let page = 0; page < mostPages && cursor !== null; page++) {
    const query = { limit: pageSize, ...(cursor && { cursor }) }
    const history: Returned<typeof listRelationshipHistory> = await call(listRelationshipHistory, { query })
    const last = history.items.find(({ at }) => Date.parse(at) <= moment)
    if (last) return last.token
    cursor = history.cursor
  }
  return undefined
}
