import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseHomeRealm } from './home-realm.ts'

describe('a home realm', () => {
  test('of an email is its domain, whatever the local part is', () => {
    const label = fc.stringMatching(/^[a-z](?:[a-z0-9-]{0,10}[a-z0-9])?$/).filter((text) => !text.includes('--'))
    const localPart = fc.oneof(fc.stringMatching(/^[^\s"@,;<>]{1,20}$/), fc.stringMatching(/^"[^"\n\r]{0,20}"$/))
    fc.assert(
      fc.property(localPart, fc.array(label, { minLength: 2, maxLength: 4 }), (name, labels) => {
        const domain = labels.join('.')
        expect(parseHomeRealm(`${name}@${domain}`)).toEqual({ domain })
        expect(parseHomeRealm(` ${domain.toUpperCase()}. `)).toEqual({ domain })
      }),
    )
  })

  test('of a GUID is the tenant, in either case', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        expect(parseHomeRealm(id.toUpperCase())).toEqual({ tenantId: id })
      }),
    )
  })

  test('of any text is undefined, a domain that stays the same, or a GUID', () => {
    const pieces = fc.constantFrom('@', '.', 'a', 'example', '"', ' ', '-', '[', ']', '1', '%', '/', ':', 'ü', '\u0000')
    const text = fc.oneof(
      fc.string(),
      fc.array(pieces).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, (input) => {
        const found = parseHomeRealm(input)
        const subject = found?.domain ?? found?.tenantId
        if (subject === undefined) return
        expect(subject).toMatch(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/)
        expect(parseHomeRealm(subject)).toEqual(found)
      }),
    )
  })

  test.for(['', '@', 'ana', 'ana@', '@a.example', 'a@b@c.example', 'a@b.example, c@d.example', 'Ana <ana@b.example>'])(
    'of %j is undefined',
    (text) => expect(parseHomeRealm(text)).toBeUndefined(),
  )
})
