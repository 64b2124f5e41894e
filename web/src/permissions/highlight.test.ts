import fc from 'fast-check'
import { expect, test } from 'vitest'
import { highlight } from './highlight.ts'
import { problemsOf } from './schema-problems.ts'

const directory = 'definition passport/user {}\n'
const words = fc.constantFrom('definition', 'user', '{', '}', '\n', ' ', '+', '->', '// x\n', '/* a\nb */', '"', '§')

test('highlighting changes no character', () => {
  fc.assert(
    fc.property(fc.array(words), (all) => {
      const text = all.join('')
      const lines = highlight(text, problemsOf(text, directory))
      expect(lines.map((pieces) => pieces.map((piece) => piece.text).join('')).join('\n')).toBe(text)
    }),
  )
})

test('what is wrong is marked, and nothing else', () => {
  const text = 'definition user {}\ndefinition group {\n  relation member user\n}'
  const problems = problemsOf(text, directory)
  expect(problems.map(({ message, span }) => [span.start.line, span.start.column, message])).toEqual([
    [3, 19, 'Expected `:`, but found `user`.'],
  ])
  const wrong = highlight(text, problems).map((pieces) =>
    pieces.filter((piece) => piece.isWrong).map(({ text }) => text),
  )
  expect(wrong).toEqual([[], [], ['user'], []])
})

test('what the directory defines may be named without being written', () => {
  const own = 'definition group {\n  relation member: passport/user\n}\n'
  expect(problemsOf(own, directory)).toEqual([])
  expect(problemsOf(own + directory, directory)).toEqual([])
  expect(problemsOf(own, '')).toHaveLength(1)
})
