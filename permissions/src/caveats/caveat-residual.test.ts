import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PermissionError } from '../error.ts'
import { compileCaveat } from './caveat.ts'
import { readValue } from './caveat-context.ts'
import { joinExpressions, negate } from './caveat-residual.ts'
import { parseExpression, renameOperators } from './cel-expression.ts'
import { planExpression } from './cel-library.ts'
import { completedCases, declare } from './test-caveats.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

const residual = (parameters: string, expression: string, context: object) =>
  compileCaveat(declare(parameters, expression)).computeResidual({ ...context })

test.each([
  ['day string, level int', 'day == "fri" && level >= 3', { day: 'fri' }, 'level >= 3'],
  ['day string, level int', 'day == "fri" && level >= 3', { day: 'sat' }, 'false'],
  ['day string, level int', 'day == "fri" || level >= 3', { day: 'fri' }, 'true'],
  ['day string, level int', 'day == "fri" || level >= 3', { level: 2 }, 'day == "fri"'],
  ['a bool, b bool, c bool', 'a && (b || c)', { b: false }, 'a && c'],
  ['a bool, b bool, c bool', 'a && (b || c)', {}, 'a && (b || c)'],
  ['a bool, b bool, c bool', '!(a ? b : c)', { a: true }, '!b'],
  ['a bool, b bool, c bool', '!(a ? b : c)', { b: true }, '!(a ? true : c)'],
  ['i int, j int, k int', 'i - (j - k) == -2', { i: 1, j: -3 }, '1 - (-3 - k) == -2'],
  ['i int, j int, k int', '(i - j) * k == 0', { j: -3 }, '(i - -3) * k == 0'],
  ['l list<int>, i int', 'l.exists(x, x == i * 2)', { i: 2 }, 'l.exists(x, x == 4)'],
  ['l list<int>, i int', 'l.exists(x, x == i)', { l: [1, 2] }, '[1, 2].exists(x, x == i)'],
  [
    'l list<int>, m list<int>, i int',
    'l.all(x, m.exists(y, y == x + i))',
    { i: 1 },
    'l.all(x, m.exists(y, y == x + 1))',
  ],
  [
    'at timestamp, til timestamp',
    'at < til',
    { til: '2026-01-01T00:00:00.5Z' },
    'at < timestamp("2026-01-01T00:00:00.5Z")',
  ],
  ['at timestamp, d duration', 'at + d < at', { d: '1h30m' }, 'at + duration("5400s") < at'],
  ['m map<any>, s string', 'has(m.a) && m.a == s', { s: 'say "hi"' }, 'has(m.a) && m.a == "say \\"hi\\""'],
  ['ip ipaddress, b bool', 'ip.in_cidr("10.0.0.0/8") && b', { ip: '10.0.0.1' }, 'b'],
  ['ip ipaddress, l list<ipaddress>', 'ip in l', { ip: '10.0.0.1' }, 'ip in l'],
  ['i int, b bool', '1 / i == 1 && b', { i: 0 }, '1 / 0 == 1 && b'],
  ['a any, b bool', 'a && b', { b: true }, 'a && true'],
])('the residual of %s: %s with %j is %s', (parameters, expression, context, expected) => {
  expect(residual(parameters, expression, context)).toBe(expected)
})

test('omits a residual that would be too long', () => {
  expect(residual('s string, t string', 's == t', { s: 'a'.repeat(3900) })).toHaveLength(3907)
  expect(residual('s string, t string', 's == t', { s: 'a'.repeat(4000) })).toBeUndefined()
})

test('adds only the parentheses that expressions need', () => {
  expect(joinExpressions(['a || b', 'c', 'c', 'd ? e : f'], '&&')).toBe('(a || b) && c && (d ? e : f)')
  expect(joinExpressions(['a || b', 'c && d'], '||')).toBe('a || b || c && d')
  expect([negate('a'), negate('a.b(c)'), negate('a == b'), negate('!a')]).toEqual([
    '!a',
    '!a.b(c)',
    '!(a == b)',
    '!(!a)',
  ])
})

/** Returns `true`, `false` or `failed`. */
function run(expression: string, parameters: string, context: Record<string, unknown>): string {
  const { parameters: declared } = declare(parameters, expression)
  const values = Object.fromEntries(declared.map(({ name, type }) => [name, readValue(type, context[name])]))
  const value = planExpression(renameOperators(parseExpression(expression).expr))(values)
  return typeof value === 'boolean' ? String(value) : 'failed'
}

test('the residual has the result of the whole expression for every completion', () => {
  let residualCount = 0
  fc.assert(
    fc.property(completedCases, ({ parameters, expression, context, completion }) => {
      const text = tryResidual(() => residual(parameters, expression, context))
      if (text === undefined) return
      if (text.length < expression.length && !['true', 'false'].includes(text)) residualCount++
      const fullContext = { ...completion, ...context }
      expect(run(text, parameters, fullContext), text).toBe(run(expression, parameters, fullContext))
    }),
    { numRuns: numRuns * 4 },
  )
  // Otherwise, too few cases had a residual to test.
  expect(residualCount).toBeGreaterThan(numRuns / 10)
})

/** Invalid caveats and mistyped values are tested elsewhere. */
function tryResidual(compute: () => string | undefined): string | undefined {
  try {
    return compute()
  } catch (error) {
    if (error instanceof PermissionError) return undefined
    throw error
  }
}
