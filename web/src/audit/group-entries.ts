import type { AuditEntry } from '@passport/contract/audit'
import { findTemplate } from './sentences.ts'

/**
 * Consecutive events that are one change of many records, or one event of the same records that happened again, newest
 * first. Most groups have one event.
 */
export type EntryGroup = [newest: AuditEntry, ...rest: AuditEntry[]]

/** Changes of fewer records are shown one by one. */
const minSize = 3
/** Longer pauses separate two changes. */
const maxPauseMs = 5 * 60 * 1000
/** Longer pauses separate events that happened again. */
const maxRepeatPauseMs = 60 * 60 * 1000

/** The actions that change no record: what they repeat needs no row of its own. */
const repeatable =
  /^(?:signin\.|signout|client\.(?:authorized|refused)$|device\.|directory\.password-refused$|(?:audit|users|permissions)\.exported$)/

const plurals: Record<string, string> = {
  user: 'users',
  org: 'organisations',
  group: 'groups',
  role: 'roles',
  client: 'applications',
  preference: 'preferences',
  key: 'signing keys',
}

/**
 * Groups consecutive events in which one actor makes the same change to several records, such as a bulk change, and
 * those that happened again, such as sign-ins of a user.
 */
export function groupEntries(entries: AuditEntry[]): EntryGroup[] {
  const runs: EntryGroup[] = []
  for (const entry of entries) {
    const run = runs.at(-1)
    const previous = run?.at(-1)
    if (run && previous && isNext(run, previous, entry)) run.push(entry)
    else runs.push([entry])
  }
  return runs.flatMap((run) =>
    run.length < minSize && !isRepeat(run) ? run.map((entry): EntryGroup => [entry]) : [run],
  )
}

/** Reports whether the events of a group are one event that happened several times. */
export const isRepeat = ([first, second]: EntryGroup): boolean => second !== undefined && isSameAgain(first, second)

/** Reports whether an event continues a run, of which all events are changes of other records, or all the same again. */
function isNext(run: EntryGroup, later: AuditEntry, earlier: AuditEntry): boolean {
  if (run.length > 1) return isRepeat(run) ? isSameAgain(later, earlier) : isSameChange(later, earlier)
  return isSameAgain(later, earlier) || isSameChange(later, earlier)
}

function isSameAgain(later: AuditEntry, earlier: AuditEntry): boolean {
  const { actor, action, target, reason } = later
  return (
    repeatable.test(action) &&
    action === earlier.action &&
    reason === earlier.reason &&
    actor?.id === earlier.actor?.id &&
    target.kind === earlier.target.kind &&
    target.id === earlier.target.id &&
    (actor?.id ?? target.id) !== null &&
    hasSameSentence(later, earlier) &&
    Date.parse(later.at) - Date.parse(earlier.at) <= maxRepeatPauseMs
  )
}

function isSameChange(later: AuditEntry, earlier: AuditEntry): boolean {
  const { actor, action, target } = later
  // Passport itself rotates all its keys at once; other events without an actor are unrelated.
  if ((actor === null && target.kind !== 'key') || actor?.id !== earlier.actor?.id || action !== earlier.action)
    return false
  if (!(target.kind in plurals) || target.kind !== earlier.target.kind || target.id === earlier.target.id) return false
  return (
    findTemplate(later).includes('{target}') &&
    hasSameSentence(later, earlier) &&
    Date.parse(later.at) - Date.parse(earlier.at) <= maxPauseMs
  )
}

/** Reports whether the sentences of two events differ in their targets at most. */
function hasSameSentence(later: AuditEntry, earlier: AuditEntry): boolean {
  const template = findTemplate(later)
  if (template !== findTemplate(earlier)) return false
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter((name) => name !== 'target')
  const serialize = ({ before, after }: AuditEntry, name: string) => JSON.stringify(after?.[name] ?? before?.[name])
  return names.every((name) => serialize(later, name) === serialize(earlier, name))
}

const number = new Intl.NumberFormat('en')

/** Returns an event that happened again, with the values that all have in common. */
export function toRepeatEntry(group: EntryGroup): AuditEntry {
  const [newest] = group
  const keepCommon = (side: 'before' | 'after') =>
    newest[side] &&
    Object.fromEntries(
      Object.entries(newest[side]).filter(([name, value]) =>
        group.every((entry) => JSON.stringify(entry[side]?.[name]) === JSON.stringify(value)),
      ),
    )
  return { ...newest, before: keepCommon('before'), after: keepCommon('after') }
}

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
