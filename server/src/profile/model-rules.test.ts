import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readGlb } from './glb.ts'
import { findModelFaults } from './model-rules.ts'
import { createModel } from './test-models.ts'

const members = ['nodes', 'meshes', 'primitives', 'children', 'mesh', 'accessors', 'count', 'extensions', 'min', 'uri']
const documents = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, -1, 0, 1, 1e308, 'x', 'data:'),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...members), tie('value'), { maxKeys: 4 }),
  ),
})).value

it('reports faults of any JSON without an exception', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...members, 'buffers', 'images'), documents), (document) => {
      for (const { code, message } of findModelFaults(document)) {
        expect(code).toMatch(/^model-/)
        expect(message.length).toBeLessThan(300)
      }
    }),
  )
})

it('reads any change of a model as a document or a finding', () => {
  const model = createModel()
  const changes = fc.array(fc.tuple(fc.nat(model.length - 1), fc.nat(255)), { maxLength: 5 })
  fc.assert(
    fc.property(changes, fc.nat(model.length), (bytes, length) => {
      const changed = Buffer.from(model)
      for (const [at, value] of bytes) changed[at] = value
      const glb = readGlb(changed.subarray(0, length))
      expect('document' in glb || /^model-/.test(glb.finding.code)).toBe(true)
      if (length < model.length) expect(glb).toHaveProperty('finding')
    }),
  )
})
