import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FileError, parseValidationFile } from './validation-file.ts'

/** The content of a file with its positions, or its problems. */
async function parseOrProblems(text: string) {
  try {
    const { positionOf, sectionPosition, ...file } = await parseValidationFile(text)
    return {
      ...file,
      positions: file.relationships.map((_, index) => positionOf(index)),
      sectionStart: file.assertions && sectionPosition('assertions'),
    }
  } catch (error) {
    if (error instanceof FileError) return { problems: error.problems }
    throw error
  }
}

const lineArbitrary = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('document:a#viewer@user:b', '  group:x#member@user:y', 'folder:b#view@user:e#self '),
  },
  { weight: 2, arbitrary: fc.constantFrom('', '// a comment', '   ') },
  { weight: 1, arbitrary: fc.constantFrom('no relationship', 'document:a#viewer', '# no comment here') },
)
const sectionArbitrary = fc.constantFrom(
  '',
  'schema: |-\n  definition user {}\n',
  'assertions:\n  assertTrue:\n    - document:a#view@user:b\n',
  'assertions:\n  assertTrue:\n    - wrong\n',
  'nothing: known\n',
  '# a comment\n',
)

test('parseValidationFile reads a block of relationships like the YAML parser', async () => {
  const parts = fc.record({
    before: sectionArbitrary,
    lines: fc.array(lineArbitrary, { maxLength: 12 }),
    after: sectionArbitrary,
    ending: fc.constantFrom('\n', '\r\n'),
    hasEnd: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(parts, async ({ before, lines, after, ending, hasEnd }) => {
      fc.pre(before === '' || before !== after)
      const block = lines.map((line) => `  ${line}${ending}`).join('')
      const wrap = (header: string) => {
        const text = `${before}relationships: ${header}${ending}${block}${after}`
        return hasEnd ? text : text.trimEnd()
      }
      // The explicit indentation indicator, which real files do not use, bypasses our own block reader.
      expect(await parseOrProblems(wrap('|-'))).toEqual(await parseOrProblems(wrap('|2-')))
    }),
  )
})

test.for([
  ['a folded scalar', 'relationships: >-\n  doc:b#view@user:e\n\n  doc:b#view@user:f\n', 2],
  ['a quoted scalar', 'relationships: "doc:b#view@user:e\\ndoc:b#view@user:f"\n', 2],
  ['an empty block', 'relationships: |-\n', 0],
  ['an empty block at the end of the file', 'relationships: |-', 0],
  ['a schema that contains such a block', 'schema: |-\n  relationships: |-\n    doc:b#view@user:e\n', 0],
] as const)('parseValidationFile reads %s', async ([, text, count]) => {
  expect((await parseValidationFile(text)).relationships).toHaveLength(count)
})

test.for([
  ['twice', 'relationships: |-\n  doc:b#view@user:e\nrelationships: |-\n  doc:b#view@user:f\n', 3],
  ['with a line indented less than the first', 'relationships: |-\n    doc:b#view@user:e\nother\n', 3],
  ['inside a scalar', '|\nrelationships: |-\n  doc:b#view@user:e\n', 3],
  ['inside quotes', 'schema: "first\nrelationships: |-\n  doc:b#view@user:e\n"\n', 4],
  ['with a line that starts with a tab', 'relationships: |-\n  doc:b#view@user:e\n\tdoc:b#view@user:f\n', 3],
] as const)('parseValidationFile rejects a block %s, with its line', async ([, text, lastLine]) => {
  const thrown = await parseValidationFile(text).catch((error: unknown) => error)
  expect(thrown).toBeInstanceOf(FileError)
  expect((thrown as FileError).problems.some(({ span }) => span.start.line <= lastLine)).toBe(true)
})

test('parseValidationFile pauses regularly in a long file', async () => {
  const count = 30_000
  const lines = Array.from({ length: count }, (_, index) => `  document:d${index}#viewer@user:u${index}\n`).join('')
  let turns = 0
  const { relationships, positionOf } = await parseValidationFile(
    `relationships: |-\n${lines}`,
    async () => void turns++,
  )
  expect(relationships).toHaveLength(count)
  expect(positionOf(count - 1)).toEqual({ line: count + 1, column: 3 })
  expect(turns).toBe(31)
})
