import { readValue, WrongValue } from '@passport/permissions/caveat-context'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { typedValue } from './typed-value.ts'

const told = ['int', 'uint', 'double', 'bool', 'list', 'map'] as const
const texts = fc.oneof(
  fc.constantFrom(
    '10',
    '-3',
    '1.5',
    '"7"',
    '1e3',
    '+4',
    'ten',
    'true',
    '[]',
    '[1]',
    '{}',
    '{"a":1}',
    'null',
    '"x"',
    '.5',
    '5.',
  ),
  fc.integer().map(String),
  fc.double({ noNaN: true }).map(String),
  fc.json({ maxDepth: 1 }),
)

function wantedByEngine(value: unknown, name: (typeof told)[number]): string | undefined {
  try {
    readValue({ name }, value)
    return undefined
  } catch (error) {
    if (error instanceof WrongValue) return error.message
    throw error
  }
}

test('takes what the engine takes, and tells what it wants in the same words', () => {
  fc.assert(
    fc.property(fc.constantFrom(...told), texts, (name, text) => {
      const typed = typedValue(text, name)
      if ('value' in typed) expect(wantedByEngine(typed.value, name)).toBeUndefined()
      else expect(wantedByEngine(jsonOr(text), name)).toBe(typed.wants)
    }),
  )
})

test.for([
  ['fri', 'string', { value: 'fri' }],
  ['7', 'string', { value: '7' }],
  ['7', 'int', { value: 7 }],
  ['ten', 'int', { wants: 'a whole number' }],
  ['-1', 'uint', { wants: 'a whole number that is not negative' }],
  ['yes', 'bool', { wants: 'true or false' }],
  ['anything', 'any', { value: 'anything' }],
  ['anything', undefined, { value: 'anything' }],
] as const)('%s as %s', ([text, type, read]) => {
  expect(typedValue(text, type)).toEqual(read)
})

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
