import { expect, test } from 'vitest'
import { printLines, readLines } from './relationship-lines.ts'

test('lines are read as relationships and written again', () => {
  const text = `document:a#viewer@group:b#member[office_hours:{"opens":9}]
document:a#viewer@user:c[expiration:2030-01-01T00:00:00.000Z]`
  const { relationships, error } = readLines(`\n// who reads\n${text}\n`)
  expect(error).toBeUndefined()
  expect(relationships).toHaveLength(2)
  expect(printLines(relationships)).toBe(text)
})

test('the first line that is none is told by its number', () => {
  expect(readLines('document:a#viewer@user:c\n\ndocument a').error).toMatch(/^Line 3: /)
})
