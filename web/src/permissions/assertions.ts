import type { Returned } from '@passport/contract/endpoint'
import { listAssertions, type NewAssertion, runAssertions } from '@passport/contract/permissions'
import { printQuestion } from '@passport/permissions/relationship-text'
import { queryOptions } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'
import { printReference } from './reference.ts'

/** What must hold, as it is saved. */
export const assertionsQuery = query(listAssertions, {})
/** To be forgotten where one is saved or deleted. */
export const assertionsKey = assertionsQuery.queryKey

/** What came out when all of it was tried. */
export type Run = Returned<typeof runAssertions>

/** Tries all of it; old where anything was written. */
export const runQuery = queryOptions({
  queryKey: [...assertionsKey, 'run'],
  queryFn: ({ signal }) => call(runAssertions, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
})

/** The kinds that are a question and its answer. */
export type QuestionKind = Exclude<NewAssertion['kind'], 'validation'>
export const kinds: readonly { value: QuestionKind; label: string }[] = [
  { value: 'assertTrue', label: 'must be allowed' },
  { value: 'assertFalse', label: 'must be denied' },
  { value: 'assertCaveated', label: 'must depend' },
]

/** What is asked. */
export const saidOf = (assertion: NewAssertion): string =>
  'question' in assertion
    ? printQuestion(assertion.question)
    : `${printReference(assertion.resource)}#${assertion.permission}`

/** What must come out. */
export const wantedOf = (assertion: NewAssertion): string =>
  'question' in assertion
    ? (kinds.find(({ value }) => value === assertion.kind)?.label ?? '')
    : `must be had by ${assertion.subjects.join(', ') || 'nobody'}`
