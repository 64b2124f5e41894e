import { RoleName } from '@passport/contract/roles'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { createRoleNames } from './role-names.ts'

test.each([
  ['Stage.Editor', 'Stage.Editor'],
  ['stage-editor', 'StageEditor'],
  ['stage:edit', 'Stage.Edit'],
  ['box-office.seller', 'BoxOffice.Seller'],
  ['2nd line', 'Role2ndLine'],
  ['Bühne', 'Buhne'],
  ['роль', 'Role'],
  ['Passport.Admin', 'Imported.Passport.Admin'],
  ['passport:admin', 'Imported.Passport.Admin'],
])('%s becomes %s', (name, converted) => {
  expect(createRoleNames()(name)).toBe(converted)
})

test('many equal names take little time', () => {
  const convert = createRoleNames()
  const before = process.threadCpuUsage()
  const names = Array.from({ length: 50_000 }, () => convert('роль'))
  expect(names.at(-1)).toBe('Role50000')
  // Trying every number for each would take over a billion steps.
  expect(process.threadCpuUsage(before).user).toBeLessThan(10_000_000)
})

test('names stay valid and different, and none is a role of Passport', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.stringMatching(/^[a-z.:_-]{1,12}$/)), { maxLength: 20 }), (names) => {
      const convert = createRoleNames()
      const converted = names.map(convert)
      expect(new Set(converted.map((name) => name.toLowerCase())).size).toBe(names.length)
      for (const name of converted) {
        expect(z.safeParse(RoleName, name).success).toBe(true)
        expect(name).not.toMatch(/^passport\b/i)
      }
    }),
  )
})
