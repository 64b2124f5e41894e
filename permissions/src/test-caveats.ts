import fc from 'fast-check'
import type { CaveatDeclaration, CaveatType } from './schema.ts'

/** One question to a caveat: `parameters` as in a schema, such as `a int, l list<string>`. */
export interface CaveatCase {
  parameters: string
  expression: string
  context: Record<string, unknown>
}

export function declare(parameters: string, expression: string): CaveatDeclaration {
  const start = { line: 1, column: 1, offset: 0 }
  return {
    name: 'condition',
    parameters: parameters.split(', ').map((parameter) => {
      const [name = '', type = ''] = parameter.split(' ')
      return { name, type: typeOf(type) }
    }),
    expression,
    span: { start, end: start },
  }
}

function typeOf(text: string): CaveatType {
  const [, outer, inner] = /^(list|map)<(.+)>$/.exec(text) ?? []
  if (inner) return { name: outer as 'list' | 'map', of: typeOf(inner) }
  return { name: text as CaveatType['name'] }
}

/** Every random caveat has these; those that its expression does not use are left out. */
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

const { bool } = fc.letrec<Record<string, string>>((tie) => {
  const of = (name: string) => tie(name) as fc.Arbitrary<string>
  const join = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc.tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part))).map((each) => each.join(''))
  const pick = (...names: string[]) => fc.constantFrom(...names)
  const deep = (...all: [fc.Arbitrary<string>, ...fc.Arbitrary<string>[]]) =>
    fc.oneof({ depthSize: 'small', withCrossShrink: true }, ...all)
  const order = pick('==', '!=', '<', '<=', '>', '>=')
  const compare = (name: string) => join(of(name), ' ', order, ' ', of(name))
  return {
    bool: deep(
      pick('b', 'c', 'true', 'false'),
      join('(', of('bool'), ' && ', of('bool'), ')'),
      join('(', of('bool'), ' || ', of('bool'), ')'),
      join('(', of('bool'), ' ? ', of('bool'), ' : ', of('bool'), ')'),
      join('!(', of('bool'), ')'),
      ...['int', 'double', 'string', 'bytes', 'timestamp', 'duration'].map(compare),
      compare('int'),
      join(of('ints'), ' == ', of('ints')),
      join(of('int'), ' in ', of('ints')),
      join(of('string'), ' in ', of('texts')),
      join(of('string'), ' in ', pick('m', 'n')),
      join(of('ints'), '.', pick('exists', 'all', 'exists_one'), '(x, x ', order, ' ', of('int'), ')'),
      join(of('ints'), '.', pick('exists', 'all', 'exists_one'), '(x, 6 / x == 2 || ', of('bool'), ')'),
      join(of('texts'), '.', pick('exists', 'all'), '(w, w.startsWith(', of('string'), '))'),
      join(of('string'), '.', pick('contains', 'startsWith', 'endsWith', 'matches'), '(', of('string'), ')'),
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
      join('u ', order, ' ', of('int')),
      join(of('string'), ' in {"a": ', of('int'), ', "b": ', of('int'), '}'),
      join('{"a": ', of('int'), ', "b": ', of('int'), '} == m'),
      join('bool(', of('string'), ')'),
    ),
    int: deep(
      pick('i', 'j', '0', '1', '2', '-1', 'm.a', 'm["b"]'),
      join('(', of('int'), ' ', pick('+', '-', '*', '/', '%'), ' ', of('int'), ')'),
      join('size(', deep(of('string'), of('ints'), of('texts'), of('bytes')), ')'),
      join('(', of('bool'), ' ? ', of('int'), ' : ', of('int'), ')'),
      join(of('ints'), '[', pick('0', '1', '-1', 'i', 'j'), ']'),
      join(
        of('timestamp'),
        '.',
        pick('getHours()', 'getDayOfWeek()', 'getMonth()', 'getDayOfYear()', 'getMinutes("Europe/Berlin")'),
      ),
      join(of('duration'), '.', pick('getSeconds()', 'getHours()', 'getMilliseconds()')),
      join('int(', deep(of('string'), of('double'), of('timestamp'), of('duration')), ')'),
    ),
    double: deep(
      pick('d', '0.0', '1.5', '2e3'),
      join('(', of('double'), ' ', pick('+', '-', '*', '/'), ' ', of('double'), ')'),
      join('double(', deep(of('int'), of('string')), ')'),
    ),
    string: deep(
      pick('s', 't', '"a"', '"ab"', '""', '"1"', 'ls[0]'),
      join('(', of('string'), ' + ', of('string'), ')'),
      join('string(', deep(of('int'), of('double'), of('bytes'), of('bool'), of('duration')), ')'),
    ),
    bytes: deep(
      pick('y', 'b"a"', 'b"\\xff"'),
      join('bytes(', of('string'), ')'),
      // Never right at a parameter: SpiceDB may write what is added into the parameter's own bytes, for all others to see.
      join('(b"" + ', of('bytes'), ' + ', of('bytes'), ')'),
    ),
    timestamp: deep(
      pick('at', 'til', 'timestamp("2026-01-01T00:00:00Z")'),
      join('(', of('timestamp'), pick(' + ', ' - '), of('duration'), ')'),
      join('timestamp(', of('int'), ')'),
    ),
    duration: deep(
      pick('dur', 'duration("90s")'),
      join('(', of('duration'), pick(' + ', ' - '), of('duration'), ')'),
      join('(', of('timestamp'), ' - ', of('timestamp'), ')'),
      join('duration(', of('string'), ')'),
    ),
    ints: deep(
      pick('l', '[1, 2]', '[]'),
      join('[', of('int'), ', ', of('int'), ']'),
      join('l.map(x, x + ', of('int'), ')'),
      join('l.filter(x, x != ', of('int'), ')'),
      join('l.filter(x, ', of('bool'), ')'),
      join('(', of('ints'), ' + ', of('ints'), ')'),
    ),
    texts: deep(pick('ls', '["a", "1"]'), join('[', of('string'), ']')),
  }
})

/** Random caveats that use all of their parameters, with contexts that leave some of them out. */
export const caveatCases: fc.Arbitrary<CaveatCase> = (bool as fc.Arbitrary<string>)
  .filter((expression) => Object.keys(parameters).some((name) => uses(expression, name)))
  .chain((expression) => {
    const used = Object.entries(parameters).filter(([name]) => uses(expression, name))
    const given = Object.fromEntries(used.map(([name, type]) => [name, values[type] ?? fc.constant(null)]))
    return fc.record(given, { requiredKeys: [] }).map((context) => ({
      parameters: used.map(([name, type]) => `${name} ${type}`).join(', '),
      expression,
      context,
    }))
  })

/** The same, with a value for each parameter besides. */
export const completedCases: fc.Arbitrary<CaveatCase & { completion: Record<string, unknown> }> = caveatCases.chain(
  (asked) => {
    const names = asked.parameters.split(', ').map((parameter) => parameter.split(' ')[0] ?? '')
    const all = names.map((name) => [name, values[parameters[name] ?? ''] ?? fc.constant(null)])
    return fc.record(Object.fromEntries(all)).map((completion) => ({ ...asked, completion }))
  },
)

function uses(expression: string, name: string): boolean {
  return new RegExp(`(?<![.\\w"])${name}(?![\\w"(])`).test(expression.replaceAll(/"[^"]*"/g, '""'))
}
