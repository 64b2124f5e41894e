import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { EntraMapping, Guid } from './org-entra.ts'

test('a GUID is read in any case, with spaces around it, as lower case', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.boolean(), fc.constantFrom('', ' ', '\n'), (guid, isUpperCase, space) => {
      expect(z.parse(Guid, `${space}${isUpperCase ? guid.toUpperCase() : guid}${space}`)).toBe(guid)
    }),
  )
})

test('nothing else is a GUID', () => {
  const isGuid = (text: string) => z.safeParse(Guid, text).success
  expect(
    ['', 'x', '{5f0c1f6e-5c3e-4d3b-9a53-3f6f0f5d2a11}', '5f0c1f6e5c3e4d3b9a533f6f0f5d2a11'].filter(isGuid),
  ).toEqual([])
  fc.assert(fc.property(fc.uuid(), fc.nat({ max: 35 }), (guid, at) => !isGuid(guid.slice(0, at) + guid.slice(at + 1))))
})

test('a mapping has exactly one source and one target', () => {
  const mapping = fc.record(
    {
      groupObjectId: fc.uuid(),
      appRole: fc.constantFrom('Editor', 'Stage.Editor:All'),
      groupId: fc.string({ minLength: 1, maxLength: 100 }),
      role: fc.string({ minLength: 1, maxLength: 100 }),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(mapping, (value) => {
      const has = (name: keyof typeof value) => Number(name in value)
      const isValid = has('groupObjectId') + has('appRole') === 1 && has('groupId') + has('role') === 1
      const { success, data } = z.safeParse(EntraMapping, value)
      expect(success).toBe(isValid)
      if (success) expect(data).toEqual(value)
    }),
  )
})
