import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseMediaType } from './accept.ts'

const choose = (accept: string | undefined) => chooseMediaType({ accept }, ['application/json', 'text/html'])

test.for([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/html', 'text/html'],
  ['TEXT/HTML', 'text/html'],
  ['text/*', 'text/html'],
  ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['application/json, text/html', 'application/json'],
  ['application/json;q=0.5, text/html', 'text/html'],
  ['text/html;q=0, application/json', 'application/json'],
  ['text/html;q=0.1, text/*, application/json;q=0.5', 'application/json'],
  ['text/plain', 'application/json'],
  [`${'a/b,'.repeat(300)}text/html`, 'application/json'],
] as const)('Accept: %s prefers %s', ([accept, type]) => {
  expect(choose(accept)).toBe(type)
})

test('any header chooses one of the types', () => {
  const part = fc.constantFrom(
    'text/html',
    'application/json',
    '*/*',
    'text/*',
    ';q=',
    '0.5',
    '1',
    ',',
    ' ',
    '"',
    '\\',
    ';',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      expect(['application/json', 'text/html']).toContain(choose(parts.join('')))
    }),
  )
})
