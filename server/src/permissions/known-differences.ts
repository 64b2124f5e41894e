import type { Question } from './arbitrary-permissions.ts'
import type { Answer } from './ask.ts'

/** Where our answer may be another than SpiceDB's, and why. Each is as narrow as can be told from outside. */
interface KnownDifference {
  reason: string
  fits(difference: { question: Question; theirs: Answer; ours: Answer }): boolean
}

const wordsForSubject = [
  'subject-not-allowed',
  'caveat-required',
  'expiration-required',
  'unknown-caveat',
  'context-type',
]

export const knownDifferences: KnownDifference[] = [
  {
    reason: 'SpiceDB takes a circle for a graph that is too deep; ours says that it is a circle.',
    fits: ({ theirs, ours }) => faultOf(theirs) === 'depth-exceeded' && faultOf(ours) === 'cycle',
  },
  {
    reason: 'Lookups go round a circle once and answer, where SpiceDB fails.',
    fits: ({ question, theirs, ours }) =>
      (question.ask === 'resources' || question.ask === 'subjects') &&
      faultOf(theirs) === 'depth-exceeded' &&
      'is' in ours,
  },
  {
    reason: 'Of a subject that a relation does not allow SpiceDB says so in fewer words, whatever keeps it out.',
    fits: ({ question, theirs, ours }) =>
      question.ask === 'write' &&
      ['subject-not-allowed', 'caveat-required'].includes(faultOf(theirs) ?? '') &&
      wordsForSubject.includes(faultOf(ours) ?? ''),
  },
  {
    reason: 'A caveat that fails spoils only what it could decide; SpiceDB fails if it comes to it first.',
    fits: ({ theirs, ours }) => ['context-type', 'caveat-failed'].includes(faultOf(theirs) ?? '') && 'is' in ours,
  },
  {
    reason: 'SpiceDB 1.54 fails with a bug of its own where `self` is intersected or subtracted in LookupResources.',
    fits: ({ question, theirs, ours }) =>
      question.ask === 'resources' && 'fails' in theirs && /SELF_ENTRYPOINT/.test(theirs.fails) && 'is' in ours,
  },
]

function faultOf(answer: Answer): string | undefined {
  return 'fault' in answer ? answer.fault : undefined
}

/**
 * Told apart by asking SpiceDB itself. Seen: `self` found as a subject of any type, and objects left out of
 * LookupResources in schemas with several arrows.
 */
export const lookupAgainstCheck = 'A lookup of SpiceDB contradicts its own check, which agrees with ours.'

/** Told apart by deleting what has expired. Seen with `group | group#member with expiration`: only some of a type expire. */
export const expiredCounted = 'SpiceDB 1.54 counts an expired relationship that its own reads hide.'
