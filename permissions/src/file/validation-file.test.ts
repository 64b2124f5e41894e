import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { parseRelationship } from '../graph/relationship-text.ts'
import { parseValidationFile, printValidationFile } from './validation-file.ts'

const parseProblems = (text: string) =>
  parseValidationFile(text).catch((error: { problems: unknown }) => error.problems)

async function measureCpuMs(work: () => Promise<unknown>): Promise<number> {
  await work()
  const before = process.threadCpuUsage()
  await work()
  return process.threadCpuUsage(before).user / 1000
}

const keys = (count: number, separator: string) =>
  Array.from({ length: count }, (_, index) => `key${index}: 1`).join(separator)

describe('a validation file', () => {
  test.for([
    ['on lines', keys(3000, '\n')],
    ['in braces', `{${keys(3000, ', ')}}`],
    ['of validations', `validation:\n${keys(3000, '\n').replaceAll('key', '  key')}`],
  ])('with many keys %s is parsed in linear time', async ([, text]) => {
    expect(await parseProblems(text ?? '')).not.toMatchObject([{ message: 'The file has too many values.' }])
    expect(await measureCpuMs(() => parseProblems(text ?? ''))).toBeLessThan(200)
  })

  test.for([
    ['schema: a\nschema: b', { line: 2, column: 1 }],
    ['assertions:\n  assertTrue: []\n  assertTrue: []', { line: 3, column: 3 }],
    [
      'relationships: |-\n  doc:b#view@user:e\n  doc:b#view@user:f\nvalidation:\n  doc:b#view: []\n  doc:b#view: []',
      { line: 6, column: 3 },
    ],
  ] as const)('is rejected for a duplicate key: %j', async ([text, start]) => {
    expect(await parseProblems(text)).toEqual([{ message: 'Map keys must be unique', span: { start } }])
  })

  test('has at most 25,000 lexemes besides its relationships', async () => {
    const error = [{ message: 'The file has too many values.', span: { start: { line: 1, column: 1 } } }]
    expect(await parseProblems('\n'.repeat(25_001))).toEqual(error)
    expect(await parseProblems(`schema: |\n  ${'x'.repeat(4 * 1024 * 1024)}`)).toEqual(error)
  })

  test('has lines of at most 256 K characters', async () => {
    expect(await parseProblems(`relationships: |-\n  a:b#c@d:${'x'.repeat(300_000)}`)).toEqual([
      { message: 'The line is too long.', span: { start: { line: 2, column: 3 } } },
    ])
  })
})

async function print(
  relationships: string[],
  ...rest: [Parameters<typeof printValidationFile>[2], Parameters<typeof printValidationFile>[3]]
) {
  const batches = async function* () {
    yield relationships.map((line) => parseRelationship(line))
  }
  let text = ''
  for await (const part of printValidationFile('definition user {}\n', batches(), ...rest)) text += part
  return parse(text)
}

test('a printed file has all sections, even when empty', async () => {
  expect(await print([], [], [])).toEqual({
    schema: 'definition user {}\n',
    relationships: '',
    assertions: { assertTrue: [], assertFalse: [], assertCaveated: [] },
    validation: {},
  })
  const validation = {
    resource: { type: 'document', id: 'a' },
    permission: 'view',
    subjects: ['[user:ada] is <document:a#viewer>'],
  }
  const lines = ['document:a#viewer@user:ada', 'document:b#viewer@user:ada']
  expect(await print(lines, [], [validation] as never)).toMatchObject({
    relationships: lines.join('\n'),
    validation: { 'document:a#view': validation.subjects },
  })
})
