import type { SearchResult } from '@passport/contract/search'
import { loadChoice, storeChoice } from './stored-choice.ts'

const recentKey = 'passport.recent'
const maxRecent = 5

/** Returns the recently visited pages, newest first. */
export function readRecentPages(): string[] {
  try {
    const stored: unknown = JSON.parse(loadChoice(recentKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

export function rememberPage(path: string): void {
  const recent = [path, ...readRecentPages().filter((other) => other !== path)].slice(0, maxRecent)
  storeChoice(recentKey, JSON.stringify(recent))
}

/** Recent records are kept per user and tab only, because they include names of users. */
const recordsKey = (sub: string) => `passport.recent-records.${sub}`

/** Returns the records recently opened in this tab by a user, newest first. */
export function readRecentRecords(sub: string): SearchResult[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(recordsKey(sub)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecord) : []
  } catch {
    return []
  }
}

const kinds: string[] = [
  'user',
  'org',
  'group',
  'role',
  'client',
  'identity-api',
  'entitlement',
  'aws-product',
  'aws-subscription',
  'content',
] satisfies SearchResult['kind'][]
const isRecord = (stored: Partial<SearchResult> | null): boolean =>
  kinds.includes(stored?.kind ?? '') && typeof stored?.id === 'string' && typeof stored.name === 'string'

export function rememberRecord(sub: string, record: SearchResult): void {
  const others = readRecentRecords(sub).filter(({ kind, id }) => kind !== record.kind || id !== record.id)
  try {
    sessionStorage.setItem(recordsKey(sub), JSON.stringify([record, ...others].slice(0, maxRecent)))
  } catch {}
}
