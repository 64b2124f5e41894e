import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { JsonMeter, maxDepth, maxValues, parseForeignJson, requireStorable, UnusableJson } from './foreign-json.ts'
import { cutText, toStorableText } from './storable-text.ts'

/** Returns the flaw of JSON, or `none`. */
function flawOf(source: string | Uint8Array): string {
  try {
    parseForeignJson(source)
    return 'none'
  } catch (error) {
    if (error instanceof UnusableJson) return error.flaw
    throw error
  }
}

const nest = (levels: number, [open, close]: readonly [string, string]) => open.repeat(levels) + close.repeat(levels)
const lists = ['[', ']'] as const
const objects = ['{"a":', '}'] as const

const texts = fc.constantFrom(
  'a',
  '__proto__',
  'constructor',
  '\\u0000',
  '\\ud800',
  '\\udc00',
  '\\ud83d\\ude00',
  'é',
  '\\"',
  '[{',
)
const { json } = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('1', '-0', '1e308', '1e400', '-1e999', '12345678901234567890', 'null', 'true', '{}', '[]'),
    texts.map((text) => `"${text}"`),
    fc.array(tie('json'), { maxLength: 3 }).map((values) => `[${values}]`),
    // Keys may be repeated.
    fc
      .array(fc.tuple(texts, tie('json')), { maxLength: 3 })
      .map((pairs) => `{${pairs.map(([key, value]) => `"${key}":${value}`)}}`),
  ),
}))
const wrapped = fc
  .tuple(json, fc.constantFrom(0, 0, 0, 58, 63, 64, 65, 70), fc.constantFrom(lists, objects))
  .map(([inner, levels, [open, close]]) => open.repeat(levels) + inner + close.repeat(levels))

/** Counts the levels of JSON, also those of a value that a repeated key replaces. */
function countLevels(text: string): number {
  let [level, deepest] = [0, 0]
  for (const [sign] of text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').matchAll(/[[\]{}]/g)) {
    level += sign === '[' || sign === '{' ? 1 : -1
    deepest = Math.max(deepest, level)
  }
  return deepest
}

/** Reports whether all texts and numbers of a value can be stored, without recursion. */
function isStorable(root: unknown): boolean {
  const pending = [root]
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string' && /\0|\p{Cs}/u.test(value)) return false
    if (typeof value === 'number' && !Number.isFinite(value)) return false
    if (typeof value === 'object' && value !== null) pending.push(...Object.entries(value).flat())
  }
  return true
}

describe('JSON of another system', () => {
  test('is returned as it is, or refused for its depth, a text or a number', () => {
    fc.assert(
      fc.property(wrapped, fc.boolean(), (text, asBytes) => {
        const expected: unknown = JSON.parse(text)
        const flaw = flawOf(asBytes ? Buffer.from(text) : text)
        if (countLevels(text) > maxDepth) return void expect(flaw).toBe('too-deep')
        if (!isStorable(expected)) return void expect(['invalid-text', 'invalid-number']).toContain(flaw)
        expect(flaw).toBe('none')
        expect(parseForeignJson(text)).toEqual(expected)
        expect(({} as Record<string, unknown>)['a']).toBeUndefined()
      }),
    )
  })

  test('that is any text or any bytes is refused, never with another error', () => {
    fc.assert(fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.uint8Array()), (source) => void flawOf(source)))
  })

  test('has a key __proto__ like any other', () => {
    const value = parseForeignJson('{"__proto__":{"isAdmin":true}}') as object
    expect([Object.keys(value), Object.getPrototypeOf(value), (value as { isAdmin?: true }).isAdmin]).toEqual([
      ['__proto__'],
      Object.prototype,
      undefined,
    ])
  })

  test.for([
    ['bytes that are no UTF-8', Uint8Array.from([0x22, 0xff, 0x22]), 'invalid-encoding'],
    ['a NUL in a text', '{"a":"\\u0000"}', 'invalid-text'],
    ['a NUL in a key', '{"\\u0000":1}', 'invalid-text'],
    ['half a character', '["\\ud83d"]', 'invalid-text'],
    ['half a character that is not escaped', '["\ud83d"]', 'invalid-text'],
    ['a number beyond doubles', '{"a":[1e400]}', 'invalid-number'],
    ['65 lists', nest(65, lists), 'too-deep'],
    ['64 lists', nest(64, lists), 'none'],
    ['a million lists', nest(1_000_000, lists), 'too-large'],
    ['5,000 objects', nest(5_000, objects).replace('}', '1}'), 'too-deep'],
    ['too many values', `[${'1,'.repeat(maxValues)}1]`, 'too-large'],
    ['a long text', `"${'x'.repeat(1024 * 1024)}"`, 'too-large'],
    ['no bytes', '', 'invalid-json'],
  ] as const)('with %s is judged', ([, source, flaw]) => {
    expect(flawOf(source)).toBe(flaw)
  })

  test('is refused with the place', () => {
    expect(() => parseForeignJson('{"users":[{"name":"a"},{"name":"\\u0000"}]}')).toThrow(
      'has a NUL or an unpaired surrogate at users.1.name',
    )
  })

  test('costs no more than its size', () => {
    // A parser needs a second for this, and a recursion has no end.
    const before = process.threadCpuUsage()
    for (const text of [nest(500_000, lists), `[${'{},'.repeat(300_000)}{}]`, nest(150_000, objects)]) flawOf(text)
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(150)
  })
})

test('values that a library has parsed are checked alike', () => {
  const claims = { sub: 'a', list: [1, { deep: 'b' }], at: new Date(), file: new Blob([]) }
  expect(requireStorable(claims)).toBe(claims)
  let deep: unknown = 1
  for (let level = 0; level < 100_000; level++) deep = [deep]
  for (const value of [{ name: 'a\0' }, { list: ['\ud800'] }, { n: Number.POSITIVE_INFINITY }, { deep }])
    expect(() => requireStorable(value)).toThrow(UnusableJson)
})

test('the levels and values of JSON are counted alike in parts', () => {
  fc.assert(
    fc.property(wrapped, fc.array(fc.nat(200), { maxLength: 4 }), (text, cuts) => {
      const bytes = Buffer.from(text)
      const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)).sort((a, b) => a - b), bytes.length]
      const [whole, parts] = [new JsonMeter(), new JsonMeter()]
      whole.add(bytes)
      for (const [index, end] of places.slice(1).entries()) parts.add(bytes, places[index], end)
      expect(parts).toEqual(whole)
      expect(whole.depth).toBe(countLevels(text))
    }),
  )
})

describe('a text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', '😀', '\0', '\ud800', '\udc00', 'é') })

  test('that is cut is the beginning of the text, and never ends within a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(20), (text, length) => {
        const cut = cutText(text, length)
        expect([text.startsWith(cut), cut.length >= Math.min(length, text.length) - 1, cut.length <= length]).toEqual([
          true,
          true,
          true,
        ])
        expect(cut.isWellFormed()).toBe(true)
      }),
    )
  })

  test('for a log can be stored', () => {
    fc.assert(
      fc.property(text, fc.nat(20), (text, length) => {
        expect(toStorableText(text, length)).toMatch(/^[^\0\p{Cs}]*$/u)
      }),
    )
  })
})
