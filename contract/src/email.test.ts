import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { Email, toAsciiDomain } from './email.ts'

const read = (text: string) => {
  const { data, error } = z.safeParse(Email, text)
  return data ?? error?.issues[0]?.message
}

test.for([
  [' Ada@Example.com ', 'Ada@Example.com'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['ada@BÜCHER.example', 'ada@xn--bcher-kva.example'],
  ['ada@почта.рф', 'ada@xn--80a1acny.xn--p1ai'],
  ['ada@xn--80a1acny.xn--p1ai', 'ada@xn--80a1acny.xn--p1ai'],
  ['ada@例え。テスト', 'ada@xn--r8jz45g.xn--zckzah'],
])('%s is the address %s', ([text = '', address]) => {
  expect(read(text)).toBe(address)
})

test.for([
  ['björn@example.com', 'before the @'],
  ['アダ@例え.テスト', 'before the @'],
  ['ada', 'Must be an email address'],
  ['ada@', 'Must be an email address'],
  ['@bücher.example', 'Must be an email address'],
  ['ada@bücher', 'Must be an email address'],
  ['ada@bü cher.example', 'Must be an email address'],
  ['ada@bücher..example', 'Must be an email address'],
  ['ada@xn--.example.xn--', 'Must be an email address'],
  [`ada@${'ü'.repeat(60)}.example`, 'Must be an email address'],
])('%s is none: %s', ([text = '', message]) => {
  expect(read(text)).toContain(message)
})

test('a domain becomes ASCII, and the address stays the same then', () => {
  const domains = fc.string({ unit: fc.constantFrom(...'aüß例я.-'), minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{1,5}$/), domains, (local, domain) => {
      const address = toAsciiDomain(`${local}@${domain}.example`)
      expect(toAsciiDomain(address)).toBe(address)
      expect(address.startsWith(`${local}@`)).toBe(true)
    }),
  )
})
