import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeType, describeUserset, parseObject, parseReference, printReference } from './reference.ts'

const name = fc.stringMatching(/^[a-z][a-z0-9_/]{0,20}$/)
const id = fc.stringMatching(/^[a-zA-Z0-9/_|=+-]{1,20}$/)

test('parseReference parses printed references', () => {
  fc.assert(
    fc.property(name, id, fc.option(name, { nil: undefined }), (type, id, relation) => {
      const reference = relation === undefined ? { type, id } : { type, id, relation }
      expect(parseReference(printReference(reference))).toEqual(reference)
    }),
  )
})

test.for(['', 'user', 'user:', ':ada', 'user:a b', 'user:ada#', 'user:ada#a#b', 'a:b:c', undefined, ['user:ada']])(
  'parseReference rejects %o',
  (text) => expect(parseReference(text)).toBeUndefined(),
)

test('parseObject rejects usersets', () => {
  expect(parseObject('group:staff#member')).toBeUndefined()
  expect(parseObject('group:staff')).toEqual({ type: 'group', id: 'staff' })
})

test.for([
  [{ type: 'passport/org' }, 'Organisation'],
  [{ type: 'document' }, 'Document'],
  [{ type: 'shop/order_item' }, 'Order item (shop)'],
  [{ type: 'passport/group', relation: 'member' }, 'Group members'],
  [{ type: 'document', relation: 'banned' }, 'Document, banned'],
] as const)('describeType formats %o as “%s”', ([type, text]) => expect(describeType(type)).toBe(text))

test('describeUserset precedes the name of an object', () => {
  expect(describeUserset('member')).toBe('members of')
  expect(describeUserset('banned')).toBe('subjects with banned on')
})
