import { describe, expect, test } from 'vitest'
import { PermissionError } from '../error.ts'
import { compileCaveat } from './caveat.ts'
import { CaveatError } from './compiled-caveats.ts'
import { declare } from './test-caveats.ts'

function catchError(action: () => unknown): PermissionError {
  try {
    action()
  } catch (error) {
    if (error instanceof PermissionError) return error
    throw error
  }
  throw new Error('The action did not fail.')
}

const evaluate = (parameters: string, expression: string, context: Record<string, unknown>) =>
  compileCaveat(declare(parameters, expression)).evaluate(context)

describe('a caveat', () => {
  test('reports missing parameters, sorted, only if they are decisive', () => {
    const expression = '(z == 1 || a) && (b || true)'
    expect(evaluate('z int, a bool, b bool', expression, {})).toEqual({ result: 'missing', missing: ['a', 'z'] })
    expect(evaluate('z int, a bool, b bool', expression, { z: 1 })).toEqual({ result: 'true', missing: [] })
    expect(evaluate('z int, a bool, b bool', expression, { z: 2, a: false }).result).toBe('false')
  })

  test('prefers the values of the relationship to those of the request', () => {
    const caveat = compileCaveat(declare('day string', 'day == "fri"'))
    expect(caveat.evaluate({ day: 'mon' }, { day: 'fri' }).result).toBe('true')
    expect(caveat.evaluate({ day: 'fri' }, { day: 'mon' }).result).toBe('false')
    expect(caveat.evaluate({ day: 'fri' }, {}).result).toBe('true')
    expect(caveat.evaluate(JSON.parse('{"__proto__": {"day": "fri"}}')).result).toBe('missing')
  })

  test('fails with caveat-failed on a decisive evaluation error', () => {
    const error = catchError(() => evaluate('a int', '1 / a == 1', { a: 0 }))
    expect(error).toMatchObject({ code: 'caveat-failed', field: 'context' })
    expect(evaluate('a int, b bool', '1 / a == 1 || b', { a: 0, b: true }).result).toBe('true')
  })

  test('evaluates patterns that would stall a backtracking matcher', () => {
    expect(evaluate('s string, p string', 's.matches(p)', { s: 'a'.repeat(2000), p: '^(a+)+b$' }).result).toBe('false')
  })
})

describe('an invalid caveat', () => {
  test.each([
    ['a int', 'a +', 2, 'Invalid CEL'],
    ['a int', 'a + 1', 0, 'must be a bool, not int'],
    ['a any', 'a', 0, 'must be a bool, not any'],
    ['a int', 'a == 1 && q', 10, 'The parameter `q` does not exist'],
    ['a int, b int', 'a == 1', 0, '`b` is not used'],
    ['a int', 'a == 1.0', 2, 'does not accept (int, double)'],
    ['a int', 'foo(a)', 0, '`foo()` is not supported'],
    ['a any', 'a.?b == 1', 1, 'Invalid CEL'],
    ['a int', 'type(a) == int', 0, '`type()` is not supported'],
    ['a timestamp', 'string(a) == ""', 0, 'does not accept (timestamp)'],
    ['u uint', 'int(u) == 1', 0, 'with parameters of type uint'],
    ['l list<int>, x int', 'l.exists(x, x == 1)', 1, '`x` is already used'],
    ['l list<int>', 'l.existsOne(x, x == 1)', 1, 'write `exists_one`'],
    ['l list<int>', 'l.all(x, l.all(y, l.all(z, true)))', 19, 'More than 2 nested loops'],
    ['m map<int>', 'm == {"a": 1, "a": 2}', 5, 'a duplicate key'],
    ['s string', '{s: 1} == {}', 0, 'must be literals'],
    ['m map<any>', 'm.isSubtreeOf({"a": 1})', 1, 'only between parameters'],
    ['m map<timestamp>', 'm.isSubtreeOf(m)', 1, 'not supported for timestamps'],
    ['ip ipaddress, a any', 'ip == a', 3, 'does not accept (ipaddress, any)'],
    ['a int', 'a == 9223372036854775808', 5, 'too large'],
    ['a int', `${'(1 + '.repeat(300)}a${')'.repeat(300)} == 1`, 0, 'too deep'],
    ['a int', `a == 1 //${'x'.repeat(100_000)}`, 0, 'more than 100000 characters'],
  ])('with the parameters %s is rejected: %s', (parameters, expression, offset, message) => {
    const error = catchError(() => compileCaveat(declare(parameters, expression)))
    expect(error).toBeInstanceOf(CaveatError)
    expect(error.code).toBe('schema-invalid')
    expect(error.message).toContain(message)
    if (message !== 'too deep') expect((error as CaveatError).offset).toBe(offset)
  })
})

describe('a context', () => {
  const sample: Record<string, [right: unknown[], wrong: unknown[], expected: string]> = {
    bool: [[true], ['true', 1, null], 'a boolean'],
    string: [['', 'x'], [1, null, ['x']], 'a string'],
    int: [[1, '1', '1.0', '1e2', -5, 1e30], [1.5, '1.5', '', 'x', ' 1', true, null, '0x1'], 'an integer'],
    uint: [[0, '7'], [-1, '-1', 0.5], ''],
    double: [[1, 0.5, '2.5', 'inf'], ['nan', '', true], 'a number'],
    bytes: [['', 'YWI='], ['YWI', '?', 1], 'base64-encoded bytes'],
    duration: [['0', '1h', '-1.5s'], ['5', '1d', 5, ''], 'a duration'],
    timestamp: [['2026-01-01T00:00:00Z'], ['2026-02-30T00:00:00Z', '2026-01-01', 0], 'an instant'],
    ipaddress: [['10.0.0.1', '::1'], ['10.0.1', '010.0.0.1', ':::', 1], 'an IP address'],
    'list<int>': [[[], [1, '2']], [{}, ['x'], 'x'], ''],
    'map<int>': [[{}, { a: 1 }], [[], { a: 'x' }, null], ''],
    any: [[null, 1, 'x', [], {}], [], ''],
  }

  test.each(['int', 'double', 'duration', 'ipaddress'])('of type %s costs no more than its size', (type) => {
    const caveat = compileCaveat(declare(`p ${type}`, 'p == p'))
    const before = process.threadCpuUsage()
    for (let count = 0; count < 30; count++)
      for (const p of [`${'1'.repeat(4_000)}x`, `:${'.'.repeat(4_000)}x`])
        expect(() => caveat.check({ p }, 'context')).toThrow(PermissionError)
    // It took 0.2 s and more.
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(100)
  })

  test.each(Object.entries(sample))('is checked for values of type %s', (type, [right, wrong, expected]) => {
    const caveat = compileCaveat(declare(`p ${type}`, 'p == p'))
    for (const p of right) expect(() => caveat.check({ p }, 'context')).not.toThrow()
    for (const p of wrong) {
      const error = catchError(() => caveat.check({ p }, 'context'))
      expect(error).toMatchObject({ code: 'context-type', field: 'context.p' })
      expect(error.message).toContain(`\`p\` must be ${expected}`)
    }
  })

  test('may have unknown names in a request, not in a relationship', () => {
    const caveat = compileCaveat(declare('p int', 'p == 1'))
    expect(() => caveat.check({ q: 1 }, 'context')).not.toThrow()
    expect(catchError(() => caveat.check({ q: 1 }, 'updates.0.context', 'relationship'))).toMatchObject({
      code: 'context-type',
      field: 'updates.0.context.q',
    })
  })

  test('is limited in size', () => {
    const caveat = compileCaveat(declare('p string', 'p == ""'))
    // As a protobuf `Struct`, the entry takes 12 bytes in addition to its text.
    expect(() => caveat.check({ p: 'x'.repeat(4096 - 12) }, 'context')).not.toThrow()
    expect(catchError(() => caveat.check({ p: 'x'.repeat(4096 - 11) }, 'context')).code).toBe('context-too-large')
    expect(() => caveat.check({ p: 'x'.repeat(24_000) }, 'context', 'relationship')).not.toThrow()
    expect(catchError(() => caveat.check({ p: 'x'.repeat(25_000) }, 'context', 'relationship')).code).toBe(
      'context-too-large',
    )
  })
})
