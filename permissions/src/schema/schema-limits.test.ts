import { describe, expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { SchemaError } from '../error.ts'
import { diffSchemas } from './diff.ts'

const repeat = (count: number, part: (at: number) => string, separator = '\n') =>
  Array.from({ length: count }, (_, index) => part(index)).join(separator)

/** Runs the work twice and measures the second run, to exclude JIT compilation. */
function measureCpuMs(work: () => void): number {
  work()
  const before = process.threadCpuUsage()
  work()
  return process.threadCpuUsage(before).user / 1000
}

function compileProblems(text: string): readonly { message: string }[] {
  try {
    compileSchema(text)
    return []
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return error.problems
  }
}

const partial = (relations: number, definitions: number) =>
  `use partial\ndefinition user {}\npartial ppp {\n${repeat(relations, (at) => `relation r${at}a: user`)}\n}\n${repeat(definitions, (at) => `definition d${at}a {\n...ppp\n}`)}`

describe('a schema', () => {
  test('has at most 10,000 relations and permissions, counting partials per use', () => {
    expect(compileProblems(partial(100, 100))).toEqual([])
    expect(compileProblems(partial(100, 101))).toMatchObject([
      { message: 'A schema must have at most 10000 relations and permissions.' },
    ])
    expect(measureCpuMs(() => compileProblems(partial(2900, 2450)))).toBeLessThan(200)
  })

  test('has at most 100,000 subject types and operands, counting partials per use', () => {
    const types = repeat(1000, () => 'user', ' | ')
    const text = `use partial\ndefinition user {}\npartial ppp {\nrelation rrr: ${types}\n}\n${repeat(1000, (at) => `definition d${at}a {\n...ppp\n}`)}`
    expect(compileProblems(text)).toMatchObject([
      { message: 'A schema must have at most 100000 subject types and operands.' },
    ])
  })

  test('has arrows to at most 50,000 types', () => {
    const arrows = (count: number) =>
      `${repeat(count, (at) => `definition t${at}a {}`)}\ndefinition doc {\nrelation rrr: ${repeat(count, (at) => `t${at}a`, ' | ')}\n${repeat(count, (at) => `permission p${at}a = rrr->p${at}a`)}\n}`
    expect(compileProblems(arrows(700))).toMatchObject([
      { message: 'The arrows of a schema must lead to at most 50000 types in total.' },
    ])
    const [none, some] = [compileSchema(''), compileSchema(arrows(200))]
    expect(measureCpuMs(() => diffSchemas(none, some))).toBeLessThan(250)
  })

  test('with a long chain of including relations compiles in linear time', () => {
    const row = `definition d0a {\nrelation rrr: d0a:*\n}\n${repeat(2500, (at) => `definition d${at + 1}a {\nrelation rrr: d${at}a#rrr\n}`)}`
    expect(compileProblems(row)).toHaveLength(100)
    expect(measureCpuMs(() => compileProblems(row))).toBeLessThan(250)
  })

  test('is rejected if its annotations need too many subject types', () => {
    const text = `use typechecking\ndefinition user {}\n${repeat(2000, (at) => `definition d${at}a {\nrelation rrr: d${at}a | d${at + 1}a#ppp\npermission ppp: user = rrr\n}`)}`
    expect(compileProblems(text)).toMatchObject([
      { message: 'The schema has too many subject types to check its annotations.' },
    ])
  })

  test.for([
    ['in one caveat', `caveat ccc(a int) { ${repeat(3000, () => 'a', ' + ')} == 0 }`],
    ['in many caveats', repeat(2000, (at) => `caveat c${at}a(a int) { a == 1 }`)],
  ])('has at most 5,000 words and symbols in its caveats, %s', ([, text]) => {
    expect(compileProblems(text ?? '')).toMatchObject([
      { message: 'The caveats of a schema must have at most 5000 tokens in total.' },
    ])
  })

  test('has at most 100 problems', () => {
    expect(compileProblems(`definition user {\n${repeat(2000, (at) => `relation r${at}a: unknown`)}\n}`)).toHaveLength(
      100,
    )
    expect(compileProblems(repeat(500, (at) => `caveat c${at}a(a int) { b }`))).toHaveLength(100)
  })
})
