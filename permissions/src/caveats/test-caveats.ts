import fc from 'fast-check'
import type { CaveatDeclaration, CaveatType } from '../schema/schema.ts'

/** A caveat and its context: `parameters` in schema syntax, such as `a int, l list<string>`. */
export interface CaveatCase {
  parameters: string
  expression: string
  context: Record<string, unknown>
}

/** Creates the declaration of a caveat. */
export function declare(parameters: string, expression: string): CaveatDeclaration {
  const start = { line: 1, column: 1, offset: 0 }
  return {
    name: 'condition',
    parameters: parameters.split(', ').map((parameter) => {
      const [name = '', type = ''] = parameter.split(' ')
      return { name, type: parseType(type) }
    }),
    expression,
    span: { start, end: start },
  }
}

function parseType(text: string): CaveatType {
  const [, outer, inner] = /^(list|map)<(.+)>$/.exec(text) ?? []
  if (inner) return { name: outer as 'list' | 'map', of: parseType(inner) }
  return { name: text as CaveatType['name'] }
}

/** The types of the parameters that random expressions use. */
const parameters: Record<string, string> = {
  b: 'bool',
  c: 'bool',
  i: 'int',
  j: 'int',
  u: 'uint',
  d: 'double',
  s: 'string',
  t: 'string',
  y: 'bytes',
  at: 'timestamp',
  til: 'timestamp',
  dur: 'duration',
  ip: 'ipaddress',
  l: 'list<int>',
  ls: 'list<string>',
  m: 'map<int>',
  n: 'map<any>',
  a: 'any',
}

const values: Record<string, fc.Arbitrary<unknown>> = {
  bool: fc.boolean(),
  int: fc.oneof(fc.integer({ min: -3, max: 4 }), fc.constantFrom('2', '1e1', -0, '9223372036854775807', 1e30)),
  uint: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constantFrom('3', 7.0)),
  double: fc.oneof(
    fc.constantFrom(0, -0, 0.5, 1, 2, 1e6, 1e-7, 123456789.5, '2.5', 'inf'),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  string: fc.oneof(fc.constantFrom('', 'a', 'ab', 'b', '1', 'true', '😀', '\uffff', '2s', '10.0.0.0/8'), fc.string()),
  bytes: fc.constantFrom('', 'YQ==', 'YWI=', '/w=='),
  timestamp: fc.constantFrom('2026-01-01T00:00:00Z', '2026-03-29T02:30:00.5+01:00', '0001-01-01T00:00:00Z'),
  duration: fc.constantFrom('0s', '1h30m', '-1.5s', '1ms', '1ns'),
  ipaddress: fc.constantFrom('10.0.0.1', '192.168.1.1', '::1', '::ffff:10.0.0.1', 'fe80::1'),
  'list<int>': fc.array(fc.integer({ min: -1, max: 3 }), { maxLength: 4 }),
  'list<string>': fc.array(fc.constantFrom('a', 'b', '1', ''), { maxLength: 3 }),
  'map<int>': fc.dictionary(fc.constantFrom('a', 'b'), fc.integer({ min: 0, max: 2 })),
  'map<any>': fc.dictionary(fc.constantFrom('a', 'b'), fc.constantFrom(1, 'a', null, true, { a: 1 })),
  any: fc.constantFrom(1, 0.5, 'a', true, null, [1, 'a'], { a: 1, b: { c: null } }),
}

const { bool } = fc.letrec<Record<string, string>>((rules) => {
  const rule = (name: string) => rules(name) as fc.Arbitrary<string>
  const join = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((each) => each.join(''))
  const pick = (...names: string[]) => fc.constantFrom(...names)
  const oneOf = (...all: [fc.Arbitrary<string>, ...fc.Arbitrary<string>[]]) =>
    fc.oneof({ depthSize: 'small', withCrossShrink: true }, ...all)
  const order = pick('==', '!=', '<', '<=', '>', '>=')
  const compare = (name: string) => join(rule(name), ' ', order, ' ', rule(name))
  return {
    bool: oneOf(
      pick('b', 'c', 'true', 'false'),
      join('(', rule('bool'), ' && ', rule('bool'), ')'),
      join('(', rule('bool'), ' || ', rule('bool'), ')'),
      join('(', rule('bool'), ' ? ', rule('bool'), ' : ', rule('bool'), ')'),
      join('!(', rule('bool'), ')'),
      ...['int', 'double', 'string', 'bytes', 'timestamp', 'duration'].map(compare),
      compare('int'),
      join(rule('ints'), ' == ', rule('ints')),
      join(rule('int'), ' in ', rule('ints')),
      join(rule('string'), ' in ', rule('texts')),
      join(rule('string'), ' in ', pick('m', 'n')),
      join(rule('ints'), '.', pick('exists', 'all', 'exists_one'), '(x, x ', order, ' ', rule('int'), ')'),
      join(rule('ints'), '.', pick('exists', 'all', 'exists_one'), '(x, 6 / x == 2 || ', rule('bool'), ')'),
      join(rule('texts'), '.', pick('exists', 'all'), '(w, w.startsWith(', rule('string'), '))'),
      join(rule('string'), '.', pick('contains', 'startsWith', 'endsWith', 'matches'), '(', rule('string'), ')'),
      join(
        'ip.in_cidr(',
        pick('"10.0.0.0/8"', '"::/0"', 'fe80::/10', 's').map((text) => (text === 'fe80::/10' ? `"${text}"` : text)),
        ')',
      ),
      pick(
        'has(n.a)',
        'has(n.a.a)',
        'has(m.b)',
        'n.a == 1',
        'n["b"] == "a"',
        'n.a.a == 1',
        'n.isSubtreeOf(n)',
        'm.isSubtreeOf(m)',
      ),
      join('a', pick(' == 1', ' < 2', ' == "a"', '.a == 1', '[0] == 1', ' in [1, 2]', ' != null'), ''),
      join('u ', order, ' ', rule('int')),
      join(rule('string'), ' in {"a": ', rule('int'), ', "b": ', rule('int'), '}'),
      join('{"a": ', rule('int'), ', "b": ', rule('int'), '} == m'),
      join('bool(', rule('string'), ')'),
    ),
    int: oneOf(
      pick('i', 'j', '0', '1', '2', '-1', 'm.a', 'm["b"]'),
      join('(', rule('int'), ' ', pick('+', '-', '*', '/', '%'), ' ', rule('int'), ')'),
      join('size(', oneOf(rule('string'), rule('ints'), rule('texts'), rule('bytes')), ')'),
      join('(', rule('bool'), ' ? ', rule('int'), ' : ', rule('int'), ')'),
      join(rule('ints'), '[', pick('0', '1', '-1', 'i', 'j'), ']'),
      join(
        rule('timestamp'),
        '.',
        pick('getHours()', 'getDayOfWeek()', 'getMonth()', 'getDayOfYear()', 'getMinutes("Europe/Berlin")'),
      ),
      join(rule('duration'), '.', pick('getSeconds()', 'getHours()', 'getMilliseconds()')),
      join('int(', oneOf(rule('string'), rule('double'), rule('timestamp'), rule('duration')), ')'),
    ),
    double: oneOf(
      pick('d', '0.0', '1.5', '2e3'),
      join('(', rule('double'), ' ', pick('+', '-', '*', '/'), ' ', rule('double'), ')'),
      join('double(', oneOf(rule('int'), rule('string')), ')'),
    ),
    string: oneOf(
      pick('s', 't', '"a"', '"ab"', '""', '"1"', 'ls[0]'),
      join('(', rule('string'), ' + ', rule('string'), ')'),
      join('string(', oneOf(rule('int'), rule('double'), rule('bytes'), rule('bool'), rule('duration')), ')'),
    ),
    bytes: oneOf(
      pick('y', 'b"a"', 'b"\\xff"'),
      join('bytes(', rule('string'), ')'),
      // Never a bare parameter: SpiceDB may append to the parameter's own bytes, which changes them everywhere.
      join('(b"" + ', rule('bytes'), ' + ', rule('bytes'), ')'),
    ),
    timestamp: oneOf(
      pick('at', 'til', 'timestamp("2026-01-01T00:00:00Z")'),
      join('(', rule('timestamp'), pick(' + ', ' - '), rule('duration'), ')'),
      join('timestamp(', rule('int'), ')'),
    ),
    duration: oneOf(
      pick('dur', 'duration("90s")'),
      join('(', rule('duration'), pick(' + ', ' - '), rule('duration'), ')'),
      join('(', rule('timestamp'), ' - ', rule('timestamp'), ')'),
      join('duration(', rule('string'), ')'),
    ),
    ints: oneOf(
      pick('l', '[1, 2]', '[]'),
      join('[', rule('int'), ', ', rule('int'), ']'),
      join('l.map(x, x + ', rule('int'), ')'),
      join('l.filter(x, x != ', rule('int'), ')'),
      join('l.filter(x, ', rule('bool'), ')'),
      join('(', rule('ints'), ' + ', rule('ints'), ')'),
    ),
    texts: oneOf(pick('ls', '["a", "1"]'), join('[', rule('string'), ']')),
  }
})

/** Random caveats that use all of their parameters, with contexts that omit some values. */
export const caveatCases: fc.Arbitrary<CaveatCase> = (bool as fc.Arbitrary<string>)
  .filter((expression) => Object.keys(parameters).some((name) => usesName(expression, name)))
  .chain((expression) => {
    const used = Object.entries(parameters).filter(([name]) => usesName(expression, name))
    const contextArbitraries = Object.fromEntries(used.map(([name, type]) => [name, values[type] ?? fc.constant(null)]))
    return fc.record(contextArbitraries, { requiredKeys: [] }).map((context) => ({
      parameters: used.map(([name, type]) => `${name} ${type}`).join(', '),
      expression,
      context,
    }))
  })

/** Random caveats as in `caveatCases`, each with a value for every parameter as `completion`. */
export const completedCases: fc.Arbitrary<CaveatCase & { completion: Record<string, unknown> }> = caveatCases.chain(
  (caveatCase) => {
    const names = caveatCase.parameters.split(', ').map((parameter) => parameter.split(' ')[0] ?? '')
    const completeContext = names.map((name) => [name, values[parameters[name] ?? ''] ?? fc.constant(null)])
    return fc.record(Object.fromEntries(completeContext)).map((completion) => ({ ...caveatCase, completion }))
  },
)

function usesName(expression: string, name: string): boolean {
  return new RegExp(`(?<![.\\w"])${name}(?![\\w"(])`).test(expression.replaceAll(/"[^"]*"/g, '""'))
}
