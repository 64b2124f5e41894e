import fc from 'fast-check'
import { expect, test } from 'vitest'
import { redact } from './redact.ts'

test.for([
  ['user ana.abara@contoso.example is unknown', 'user …@contoso.example is unknown'],
  ['code eyJhbGciOi.eyJzdWIi.c2ln was used', 'code … was used'],
  [`state ${'aB3_'.repeat(11)} is unknown`, 'state … is unknown'],
  ['tenant 0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', 'tenant 0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee'],
  ['two\nlines', 'two lines'],
])('%s becomes %s', ([text, redacted]) => {
  expect(redact(String(text))).toBe(redacted)
})

test('no local part and no token of 40 characters remains, wherever it is', () => {
  // Longer than a trace keeps, so that it is cut anywhere.
  const long = fc.string({ unit: fc.constantFrom('ü ', '😀', '\0', '\ud800', '\n'), maxLength: 300 })
  const text = fc.oneof(fc.string(), long)
  const secret = fc.stringMatching(/^[A-Za-z0-9_-]{40,80}$/)
  const local = fc.stringMatching(/^[a-z][a-z0-9.+_-]{5,20}$/)
  fc.assert(
    fc.property(text, secret, local, text, (before, token, name, after) => {
      const redacted = redact(`${before} ${token} ${name}@contoso.example ${after}`)
      expect(redacted).not.toContain(token)
      expect(redacted).not.toContain(`${name}@`)
      expect([redacted.length <= 300, redacted.isWellFormed(), redacted.includes('\0')]).toEqual([true, true, false])
    }),
  )
})

test('of a long text the whole words of its beginning are kept, in time in proportion to its length', () => {
  expect(redact(`a ${'!'.repeat(3_000)}@contoso.example`)).toBe('a …')
  expect(redact(`${'word '.repeat(1_000)}`)).toBe('word '.repeat(60))
  const before = process.threadCpuUsage()
  for (const part of ['!', '.', 'eyJ-.', 'abc!', 'a ']) redact(part.repeat(20_000))
  // A single one of them took 0.2 s to 6 s.
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(100)
})
