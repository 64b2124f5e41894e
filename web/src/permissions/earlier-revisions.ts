import type { Returned } from '@passport/contract/endpoint'
import { listRelationshipHistory } from '@passport/contract/permissions'
import { printRelationship } from '@passport/permissions'
import { call } from '../app/api.ts'

type Change = Returned<typeof listRelationshipHistory>['items'][number]

/** The moment before a change. */
export interface EarlierRevision {
  token: string
  /** The time of the change. */
  at: string
  /** “Added document:a#viewer@user:ada and 2 more”. */
  change: string
}

const operationWords = { added: 'Added', changed: 'Changed', removed: 'Deleted' }

/**
 * Returns the moments before changes, from a history with the newest first. Before a commit means after the previous
 * one; the state before the oldest known commit is unknown.
 */
export function listEarlierRevisions(changes: readonly Change[]): EarlierRevision[] {
  const commits = Map.groupBy(changes, ({ token }) => token)
  const all = [...commits.values()]
  return all.slice(0, -1).map(([first, ...otherChanges], index) => {
    const { operation, relationship } = first as Change
    const { resource, relation, subject } = relationship
    const text = `${operationWords[operation]} ${printRelationship({ resource, relation, subject })}`
    return {
      token: all[index + 1]?.[0]?.token ?? '',
      at: (first as Change).at,
      change: otherChanges.length > 0 ? `${text} and ${otherChanges.length.toLocaleString('en')} more` : text,
    }
  })
}

const pageSize = 1000
/** Further pages would take too long. */
const maxPages = 20

/** Returns the token of the last change until a moment; undefined if the history does not go back so far. */
export async function findTokenAt(instant: number): Promise<string | undefined> {
  let cursor: string | null | undefined
  for (let page = 0; page < maxPages && cursor !== null; page++) {
    const query = { limit: pageSize, ...(cursor && { cursor }) }
    const history: Returned<typeof listRelationshipHistory> = await call(listRelationshipHistory, { query })
    const last = history.items.find(({ at }) => Date.parse(at) <= instant)
    if (last) return last.token
    cursor = history.cursor
  }
  return undefined
}
