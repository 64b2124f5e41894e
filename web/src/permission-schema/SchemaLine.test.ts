import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findSchemaProblems } from '../permissions/schema-text.ts'
import { highlight } from './SchemaLine.tsx'

const directory = 'definition passport/user {}\n'
const words = fc.constantFrom('definition', 'user', '{', '}', '\n', ' ', '+', '->', '// x\n', '/* a\nb */', '"', '§')

test('highlighting changes no character', () => {
  fc.assert(
    fc.property(fc.array(words), (all) => {
      const text = all.join('')
      const lines = highlight(text, findSchemaProblems(text, directory))
      expect(lines.map((pieces) => pieces.map((piece) => piece.text).join('')).join('\n')).toBe(text)
    }),
  )
})

test('highlighting marks only the token with the error', () => {
  const text = 'definition user {}\ndefinition group {\n  relation member user\n}'
  const problems = findSchemaProblems(text, directory)
  expect(problems.map(({ message, span }) => [span.start.line, span.start.column, message])).toEqual([
    [3, 19, 'Expected `:`, but found `user`.'],
  ])
  const wrong = highlight(text, problems).map((pieces) =>
    pieces.filter((piece) => piece.hasError).map(({ text }) => text),
  )
  expect(wrong).toEqual([[], [], ['user'], []])
})

test('a schema may refer to definitions of the directory without including them', () => {
  const own = 'definition group {\n  relation member: passport/user\n}\n'
  expect(findSchemaProblems(own, directory)).toEqual([])
  expect(findSchemaProblems(own + directory, directory)).toEqual([])
  expect(findSchemaProblems(own, '')).toHaveLength(1)
})
