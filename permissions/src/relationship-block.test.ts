import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FileFault, parseValidationFile } from './validation-file.ts'

/** What comes of a file: what it says and where, or what is wrong with it. */
async function outcome(text: string) {
  try {
    const { placeOf, placeOfPart, ...file } = await parseValidationFile(text)
    return {
      ...file,
      places: file.relationships.map((_, at) => placeOf(at)),
      below: file.assertions && placeOfPart('assertions'),
    }
  } catch (error) {
    if (error instanceof FileFault) return { problems: error.problems }
    throw error
  }
}

const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('document:a#viewer@user:b', '  group:x#member@user:y', 'folder:b#view@user:e#self '),
  },
  { weight: 2, arbitrary: fc.constantFrom('', '// a comment', '   ') },
  { weight: 1, arbitrary: fc.constantFrom('no relationship', 'document:a#viewer', '# no comment here') },
)
const others = fc.constantFrom(
  '',
  'schema: |-\n  definition user {}\n',
  'assertions:\n  assertTrue:\n    - document:a#view@user:b\n',
  'assertions:\n  assertTrue:\n    - wrong\n',
  'nothing: known\n',
  '# a comment\n',
)

test('a block of relationships is read like one that the YAML parser reads', async () => {
  const parts = fc.record({
    before: others,
    lines: fc.array(line, { maxLength: 12 }),
    after: others,
    ending: fc.constantFrom('\n', '\r\n'),
    hasEnd: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(parts, async ({ before, lines, after, ending, hasEnd }) => {
      fc.pre(before === '' || before !== after)
      const block = lines.map((one) => `  ${one}${ending}`).join('')
      const whole = (header: string) => {
        const text = `${before}relationships: ${header}${ending}${block}${after}`
        return hasEnd ? text : text.trimEnd()
      }
      // The parser itself is told how far the block is indented, which is not how such files are written.
      expect(await outcome(whole('|-'))).toEqual(await outcome(whole('|2-')))
    }),
  )
})

test.for([
  ['a folded text', 'relationships: >-\n  doc:b#view@user:e\n\n  doc:b#view@user:f\n', 2],
  ['a text in quotes', 'relationships: "doc:b#view@user:e\\ndoc:b#view@user:f"\n', 2],
  ['nothing', 'relationships: |-\n', 0],
  ['nothing at the end', 'relationships: |-', 0],
  ['a block of a schema that mentions one', 'schema: |-\n  relationships: |-\n    doc:b#view@user:e\n', 0],
] as const)('%s is read as well', async ([, text, count]) => {
  expect((await parseValidationFile(text)).relationships).toHaveLength(count)
})

test.for([
  ['twice', 'relationships: |-\n  doc:b#view@user:e\nrelationships: |-\n  doc:b#view@user:f\n', 3],
  ['with a line that is less indented than the first', 'relationships: |-\n    doc:b#view@user:e\nother\n', 3],
  ['within a text', '|\nrelationships: |-\n  doc:b#view@user:e\n', 3],
  ['within quotes', 'schema: "first\nrelationships: |-\n  doc:b#view@user:e\n"\n', 4],
  ['with a line that begins with a tab', 'relationships: |-\n  doc:b#view@user:e\n\tdoc:b#view@user:f\n', 3],
] as const)('a block %s is refused, with its line', async ([, text, at]) => {
  const fault = await parseValidationFile(text).catch((error: unknown) => error)
  expect(fault).toBeInstanceOf(FileFault)
  expect((fault as FileFault).problems.some(({ span }) => span.start.line <= at)).toBe(true)
})

test('others have their turn soon in a long file', async () => {
  const many = 30_000
  const lines = Array.from({ length: many }, (_, at) => `  document:d${at}#viewer@user:u${at}\n`).join('')
  let turns = 0
  const { relationships, placeOf } = await parseValidationFile(`relationships: |-\n${lines}`, async () => void turns++)
  expect(relationships).toHaveLength(many)
  expect(placeOf(many - 1)).toEqual({ line: many + 1, column: 3 })
  expect(turns).toBe(30)
})
