import type { AuditEntry } from '@passport/contract/audit'
import { findTemplate } from './sentences.ts'

/** Consecutive events that are one change of many records, newest first. Most groups have one event. */
export type EntryGroup = [newest: AuditEntry, ...rest: AuditEntry[]]

/** Fewer events are shown one by one. */
const minSize = 3
/** Longer pauses separate two changes. */
const maxPauseMs = 5 * 60 * 1000

const plurals: Record<string, string> = {
  user: 'users',
  org: 'organisations',
  group: 'groups',
  role: 'roles',
  client: 'applications',
  preference: 'preferences',
  key: 'signing keys',
}

/** Groups consecutive events in which one actor makes the same change to several records, such as a bulk change. */
export function groupEntries(entries: AuditEntry[]): EntryGroup[] {
  const runs: EntryGroup[] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    const previous = run?.at(-1)
    if (run && previous && isSameChange(previous, entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap((run) => (run.length < minSize ? run.map((entry): EntryGroup => [entry]) : [run]))
}

function isSameChange(later: AuditEntry, earlier: AuditEntry): boolean {
  const { actor, action, target } = later
  // Passport itself rotates all its keys at once; other events without an actor are unrelated.
  if ((actor === null && target.kind !== 'key') || actor?.id !== earlier.actor?.id || action !== earlier.action)
    return false
  if (!(target.kind in plurals) || target.kind !== earlier.target.kind || target.id === earlier.target.id) return false
  const template = findTemplate(later)
  if (!template.includes('{target}') || template !== findTemplate(earlier)) return false
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'target')
  const serialize = ({ before, after }: AuditEntry, name: string) => JSON.stringify(after?.[name] ?? before?.[name])
  return (
    names.every((name) => serialize(later, name) === serialize(earlier, name)) &&
    Date.parse(later.at) - Date.parse(earlier.at) <= maxPauseMs
  )
}

const number = new Intl.NumberFormat('en')

/**
 * Returns the entry of a group as one event of all records: its target is “30 users”. With `isOpen` the number is a
 * minimum, because earlier events that are not loaded yet may belong to the group.
 */
export function toGroupEntry(group: EntryGroup, isOpen: boolean): AuditEntry {
  const [newest] = group
  const { kind } = newest.target
  const count = number.format(group.length)
  const name = `${isOpen ? `at least ${count}` : count} ${plurals[kind] ?? kind}`
  return { ...newest, target: { kind, id: null, name } }
}
