import { expect, test } from 'vitest'
import { parseRelationshipLines, printRelationshipLines } from './what-if.ts'

test('lines of relationships are unchanged after parsing and printing', () => {
  const text = `document:a#viewer@group:b#member[office_hours:{"opens":9}]
document:a#viewer@user:c[expiration:2030-01-01T00:00:00.000Z]`
  const { relationships, error } = parseRelationshipLines(`\n// who reads\n${text}\n`)
  expect(error).toBeUndefined()
  expect(relationships).toHaveLength(2)
  expect(printRelationshipLines(relationships)).toBe(text)
})

test('the first invalid line is reported with its number', () => {
  expect(parseRelationshipLines('document:a#viewer@user:c\n\ndocument a').error).toMatch(/^Line 3: /)
})
