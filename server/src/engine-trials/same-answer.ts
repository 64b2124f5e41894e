import type { Answer } from './ask.ts'

/** Whether both tell the same. The order does not matter: ours is by id, that of SpiceDB is its own. */
export function isSame(theirs: Answer, ours: Answer): boolean {
  if ('is' in theirs && 'is' in ours) return theirs.is.toSorted().join('\n') === ours.is.toSorted().join('\n')
  return 'fault' in theirs && 'fault' in ours && theirs.fault === ours.fault && theirs.field === ours.field
}
