import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import {
  describeWhatIf,
  extendWhatIf,
  parseRelationshipLines,
  printRelationshipLines,
  setWhatIf,
  useWhatIf,
} from './what-if.ts'

afterEach(() => setWhatIf(undefined))

const [first, second] = ['document:a#viewer@user:ann', 'document:b#viewer@user:ann']
const parse = (...lines: string[]) => parseRelationshipLines(lines.join('\n')).relationships

function readWhatIf() {
  const { result } = renderHook(useWhatIf)
  return (
    result.current && [
      printRelationshipLines(result.current.add),
      printRelationshipLines(result.current.remove),
      result.current.schema,
    ]
  )
}

test('what-if changes accumulate, and a later one replaces an earlier one of the same relationship', () => {
  act(() => extendWhatIf({ add: parse(first) }))
  act(() => extendWhatIf({ add: parse(second, `${first}[office_hours]`), schema: 'definition user {}' }))
  expect(readWhatIf()).toEqual([`${first}[office_hours]\n${second}`, '', 'definition user {}'])
  act(() => extendWhatIf({ remove: parse(first) }))
  expect(readWhatIf()).toEqual([second, first, 'definition user {}'])
  act(() => extendWhatIf({ add: parse(first) }))
  expect(readWhatIf()).toEqual([`${second}\n${first}`, '', 'definition user {}'])
})

test('what-if changes are kept in the session storage until cleared', () => {
  act(() => setWhatIf({ add: parse(first), remove: [] }))
  expect(sessionStorage.getItem('permissions supposed')).toContain('"ann"')
  act(() => setWhatIf({ add: [], remove: [] }))
  expect(readWhatIf()).toBeUndefined()
  expect(sessionStorage.getItem('permissions supposed')).toBeNull()
})

test('describeWhatIf counts the added and deleted relationships', () => {
  expect(describeWhatIf({ add: parse(first, second), remove: parse(first), schema: '' })).toBe(
    '2 relationships added, 1 relationship deleted, draft schema',
  )
})
