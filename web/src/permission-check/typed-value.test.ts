import { expect, test } from 'vitest'
import { parseTypedValue } from './MissingValuesForm.tsx'

test.for([
  ['fri', 'string', { value: 'fri' }],
  ['7', 'string', { value: '7' }],
  ['7', 'int', { value: 7 }],
  ['"7"', 'int', { value: '7' }],
  ['ten', 'int', { expected: 'an integer' }],
  ['-1', 'uint', { expected: 'a non-negative integer' }],
  ['1.5', 'double', { value: 1.5 }],
  ['yes', 'bool', { expected: 'a boolean' }],
  ['[1]', 'list', { value: [1] }],
  ['[]', 'map', { expected: 'an object' }],
  ['10.0.0.300', 'ipaddress', { expected: 'an IP address' }],
  ['anything', 'any', { value: 'anything' }],
] as const)('the text %s for a parameter of type %s is %o', ([text, name, result]) => {
  expect(parseTypedValue(text, { name })).toEqual(result)
})

test('the value of an unknown parameter may have any type', () => {
  expect(parseTypedValue('anything', undefined)).toEqual({ value: 'anything' })
})
