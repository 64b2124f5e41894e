import type { Returned } from '@passport/contract/endpoint'
import { listAssertions, type NewAssertion, runAssertions } from '@passport/contract/permissions'
import { printQuestion } from '@passport/permissions'
import { queryOptions } from '@tanstack/react-query'
import { call, query } from '../app/api.ts'
import { printReference } from './reference.ts'

/** The saved assertions. */
export const assertionsQuery = query(listAssertions, {})
/** Invalidate it when an assertion is saved or deleted. */
export const assertionsKey = assertionsQuery.queryKey

/** The results of a run. */
export type Run = Returned<typeof runAssertions>

/** Runs all assertions; invalidated by every write. */
export const runQuery = queryOptions({
  queryKey: [...assertionsKey, 'run'],
  queryFn: ({ signal }) => call(runAssertions, {}, { signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  retry: false,
})

/** The kinds with a question and its expected answer. */
export type QuestionKind = Exclude<NewAssertion['kind'], 'validation'>
export const kinds: readonly { value: QuestionKind; label: string }[] = [
  { value: 'assertTrue', label: 'must be allowed' },
  { value: 'assertFalse', label: 'must be denied' },
  { value: 'assertCaveated', label: 'must depend' },
]

/** Formats the question of an assertion. */
export const printAssertion = (assertion: NewAssertion): string =>
  'question' in assertion
    ? printQuestion(assertion.question)
    : `${printReference(assertion.resource)}#${assertion.permission}`

/** Formats the expected answer. */
export const formatExpected = (assertion: NewAssertion): string =>
  'question' in assertion
    ? (kinds.find(({ value }) => value === assertion.kind)?.label ?? '')
    : `expected subjects: ${assertion.subjects.join(', ') || 'none'}`
