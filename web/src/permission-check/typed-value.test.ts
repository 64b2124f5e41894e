import { readValue, WrongValue } from '@passport/permissions/compile'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTypedValue } from './MissingValues.tsx'

const typeNames = ['int', 'uint', 'double', 'bool', 'list', 'map'] as const
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

function checkWithEngine(value: unknown, name: (typeof typeNames)[number]): string | undefined {
  try {
    readValue({ name }, value)
    return undefined
  } catch (error) {
    if (error instanceof WrongValue) return error.message
    throw error
  }
}

test('accepts what the engine accepts, and describes the expected type in the same words', () => {
  fc.assert(
    fc.property(fc.constantFrom(...typeNames), texts, (name, text) => {
      const typed = parseTypedValue(text, name)
      if ('value' in typed) expect(checkWithEngine(typed.value, name)).toBeUndefined()
      else expect(checkWithEngine(parseJsonOrText(text), name)).toBe(typed.wants)
    }),
  )
})

test.for([
  ['fri', 'string', { value: 'fri' }],
  ['7', 'string', { value: '7' }],
  ['7', 'int', { value: 7 }],
  ['ten', 'int', { wants: 'an integer' }],
  ['-1', 'uint', { wants: 'a non-negative integer' }],
  ['yes', 'bool', { wants: 'a boolean' }],
  ['anything', 'any', { value: 'anything' }],
  ['anything', undefined, { value: 'anything' }],
] as const)('%s as %s', ([text, type, read]) => {
  expect(parseTypedValue(text, type)).toEqual(read)
})

function parseJsonOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
