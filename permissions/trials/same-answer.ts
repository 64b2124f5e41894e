import type { Answer } from './evaluate.ts'

/** Reports whether two answers are equal. Order is ignored: ours is by id, SpiceDB's is unspecified. */
export function isSame(theirs: Answer, ours: Answer): boolean {
  if ('is' in theirs && 'is' in ours) return theirs.is.toSorted().join('\n') === ours.is.toSorted().join('\n')
  return 'fault' in theirs && 'fault' in ours && theirs.fault === ours.fault && theirs.field === ours.field
}
