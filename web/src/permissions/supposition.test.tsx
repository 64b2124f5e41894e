import { act, renderHook } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { printLines, readLines } from './relationship-lines.ts'
import { suppose, supposedText, supposeToo, useSupposition } from './supposition.ts'

afterEach(() => suppose(undefined))

const [one, other] = ['document:a#viewer@user:ann', 'document:b#viewer@user:ann']
const read = (...lines: string[]) => readLines(lines.join('\n')).relationships

function supposed() {
  const { result } = renderHook(useSupposition)
  return result.current && [printLines(result.current.add), printLines(result.current.remove), result.current.schema]
}

test('what is supposed is added up; of what contradicts, the newer counts', () => {
  act(() => supposeToo({ add: read(one) }))
  act(() => supposeToo({ add: read(other, `${one}[office_hours]`), schema: 'definition user {}' }))
  expect(supposed()).toEqual([`${one}[office_hours]\n${other}`, '', 'definition user {}'])
  act(() => supposeToo({ remove: read(one) }))
  expect(supposed()).toEqual([other, one, 'definition user {}'])
  act(() => supposeToo({ add: read(one) }))
  expect(supposed()).toEqual([`${other}\n${one}`, '', 'definition user {}'])
})

test('nothing at all ends it, and a reload of the tab does not', () => {
  act(() => suppose({ add: read(one), remove: [] }))
  expect(sessionStorage.getItem('permissions supposed')).toContain('"ann"')
  act(() => suppose({ add: [], remove: [] }))
  expect(supposed()).toBeUndefined()
  expect(sessionStorage.getItem('permissions supposed')).toBeNull()
})

test('is said in words', () => {
  expect(supposedText({ add: read(one, other), remove: read(one), schema: '' })).toBe(
    '2 relationships more, 1 relationship less, another schema',
  )
})
