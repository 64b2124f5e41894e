import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compileCaveat } from './caveat.ts'
import { readValue } from './caveat-context.ts'
import { joined, negated } from './caveat-residual.ts'
import { parseExpression, withOurNames } from './cel-expression.ts'
import { planExpression } from './cel-library.ts'
import { PermissionFault } from './fault.ts'
import { completedCases, declare } from './test-caveats.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

const residual = (parameters: string, expression: string, context: object) =>
  compileCaveat(declare(parameters, expression)).residual({ ...context })

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
])('of %s: %s with %j there is left %s', (parameters, expression, context, expected) => {
  expect(residual(parameters, expression, context)).toBe(expected)
})

test('one that would be very long is not told', () => {
  expect(residual('s string, t string', 's == t', { s: 'a'.repeat(3900) })).toHaveLength(3907)
  expect(residual('s string, t string', 's == t', { s: 'a'.repeat(4000) })).toBeUndefined()
})

test('expressions are put together with the parentheses that they need', () => {
  expect(joined(['a || b', 'c', 'c', 'd ? e : f'], '&&')).toBe('(a || b) && c && (d ? e : f)')
  expect(joined(['a || b', 'c && d'], '||')).toBe('a || b || c && d')
  expect([negated('a'), negated('a.b(c)'), negated('a == b'), negated('!a')]).toEqual([
    '!a',
    '!a.b(c)',
    '!(a == b)',
    '!(!a)',
  ])
})

/** `true`, `false` or `failed`. */
function run(expression: string, parameters: string, context: Record<string, unknown>): string {
  const { parameters: declared } = declare(parameters, expression)
  const values = Object.fromEntries(declared.map(({ name, type }) => [name, readValue(type, context[name])]))
  const value = planExpression(withOurNames(parseExpression(expression).expr))(values)
  return typeof value === 'boolean' ? String(value) : 'failed'
}

test('with every completion what is left comes out as the whole', () => {
  let left = 0
  fc.assert(
    fc.property(completedCases, ({ parameters, expression, context, completion }) => {
      const text = tried(() => residual(parameters, expression, context))
      if (text === undefined) return
      if (text.length < expression.length && !['true', 'false'].includes(text)) left++
      const whole = { ...completion, ...context }
      expect(run(text, parameters, whole), text).toBe(run(expression, parameters, whole))
    }),
    { numRuns: numRuns * 4 },
  )
  // Of an arbitrary that made nothing to be put in, nothing would be seen.
  expect(left).toBeGreaterThan(numRuns / 10)
})

/** Caveats that are refused, and values that do not fit, are tested elsewhere. */
function tried(make: () => string | undefined): string | undefined {
  try {
    return make()
  } catch (error) {
    if (error instanceof PermissionFault) return undefined
    throw error
  }
}
