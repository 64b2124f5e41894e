import fc from 'fast-check'
import { expect, test } from 'vitest'
import { domainOfEmail, parseDomainName } from './domain-name.ts'

test.for([
  ['contoso.com', 'contoso.com'],
  ['  Contoso.COM. ', 'contoso.com'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['a.b.c.example', 'a.b.c.example'],
])('%j is parsed as %s', ([typed = '', name]) => {
  expect(parseDomainName(typed)).toBe(name)
})

test.for([
  '',
  'localhost',
  '127.0.0.1',
  '0x7f.1',
  '[::1]',
  'example.1',
  'exa mple.com',
  'example.com/path',
  'user@example.com',
  'example.com:80',
  '-a.example',
  'a-.example',
  'a_b.example',
  '..',
  '.example.com',
  'a..example',
  '*.example.com',
  'ex%61mple.com',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(130)}example`,
  'example.com\u0000',
])('%j is not a domain name', (typed) => {
  expect(parseDomainName(typed)).toBeUndefined()
})

test('parsing a domain name is idempotent', () => {
  fc.assert(
    fc.property(fc.oneof(fc.domain(), fc.string({ unit: 'grapheme' })), (typed) => {
      const name = parseDomainName(typed)
      if (name === undefined) return
      expect(parseDomainName(name)).toBe(name)
      expect(name).toMatch(/^[a-z0-9.-]{3,253}$/)
    }),
  )
})

test.for([
  ['ada@contoso.com', 'contoso.com'],
  ['"a@b"@contoso.com', 'contoso.com'],
  ['ada@Bücher.example', 'xn--bcher-kva.example'],
  ['@contoso.com', undefined],
  ['contoso.com', undefined],
])('the domain of the email %s is %s', ([email = '', domain]) => {
  expect(domainOfEmail(email)).toBe(domain)
})
