import type { FoundRecord } from '@passport/contract/search'
import { remember, remembered } from './remembered.ts'

const recentKey = 'passport.recent'
const maxRecent = 5

/** The pages that were jumped to lately, the last one first. */
export function recentPages(): string[] {
  try {
    const stored: unknown = JSON.parse(remembered(recentKey) ?? '[]')
    return Array.isArray(stored) ? stored.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}

export function rememberPage(path: string): void {
  const recent = [path, ...recentPages().filter((other) => other !== path)].slice(0, maxRecent)
  remember(recentKey, JSON.stringify(recent))
}

/** Names of people are kept no longer than the tab, and for whoever looked them up. */
const recordsKey = (sub: string) => `passport.recent-records.${sub}`

/** The records that a person jumped to lately in this tab, the last one first. */
export function recentRecords(sub: string): FoundRecord[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(recordsKey(sub)) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isRecord) : []
  } catch {
    return []
  }
}

const kinds: string[] = ['user', 'org', 'group', 'role'] satisfies FoundRecord['kind'][]
const isRecord = (stored: Partial<FoundRecord> | null): boolean =>
  kinds.includes(stored?.kind ?? '') && typeof stored?.id === 'string' && typeof stored.name === 'string'

export function rememberRecord(sub: string, record: FoundRecord): void {
  const others = recentRecords(sub).filter(({ kind, id }) => kind !== record.kind || id !== record.id)
  try {
    sessionStorage.setItem(recordsKey(sub), JSON.stringify([record, ...others].slice(0, maxRecent)))
  } catch {}
}
