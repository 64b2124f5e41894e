import { printQuestion } from '@passport/permissions/relationship-text'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { questionOf, readContext, searchFor, searchOf, writtenReference } from './check-search.ts'
import { curlOf, readQuestion, zedOf } from './question-text.ts'

const name = fc.stringMatching(/^[a-z][a-z0-9_]{2,12}$/)
const id = fc.stringMatching(/^[a-zA-Z0-9/_|=+-]{1,12}$/)
const question = fc
  .record({
    resource: fc.record({ type: name, id }),
    permission: name,
    subject: fc.oneof(fc.record({ type: name, id }), fc.record({ type: name, id, relation: name })),
    context: fc.dictionary(name, fc.jsonValue({ noUnicodeString: false } as never)),
  })
  .map(({ context, ...rest }) => (Object.keys(context).length > 0 ? { ...rest, context } : rest))
/** Without what JSON does not carry, such as the sign of zero. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

test('a question is the same after it was an assertion, and after it was an address', () => {
  fc.assert(
    fc.property(question, (question) => {
      expect(readQuestion(printQuestion(question))).toEqual(plain(question))
      expect(questionOf(searchFor(question))).toEqual(plain(question))
    }),
  )
})

const asked = {
  resource: { type: 'document', id: 'payroll' },
  permission: 'view',
  subject: { type: 'user', id: 'dev' },
  context: { word: "it's" },
}

test('the commands quote what a shell would take apart', () => {
  expect(curlOf(asked, 'https://id.example')).toContain(`"context":{"word":"it'\\''s"}}'`)
  expect(zedOf(asked)).toBe(
    `zed permission check document:payroll view user:dev --caveat-context '{"word":"it'\\''s"}'`,
  )
})

test('the line is that of a validation file', () => {
  expect(printQuestion(asked)).toBe(`document:payroll#view@user:dev with {"word":"it's"}`)
  expect(readQuestion('document:payroll#view@user:dev with [1]')).toBeUndefined()
  expect(readQuestion('document:payroll@user:dev')).toBeUndefined()
})

test.for([
  [undefined, {}],
  ['  ', {}],
  ['{"a":1}', { a: 1 }],
  ['[]', undefined],
  ['null', undefined],
  ['{', undefined],
] as const)('the context %o is %o', ([text, context]) => expect(readContext(text)).toEqual(context))

test('an address counts once, and a revision only with the kinds that need one', () => {
  expect(searchOf({ subject: ['a', 'b'], permission: '', view: 'path', other: 'x' })).toEqual({ view: 'path' })
  const whole = { subject: 'user:ada', permission: 'view', resource: 'document:a' }
  expect(questionOf({ ...whole, consistency: 'atLeastAsFresh' })).toBeUndefined()
  expect(questionOf({ ...whole, consistency: 'atLeastAsFresh', token: 't' })).toMatchObject({
    consistency: { kind: 'atLeastAsFresh', token: 't' },
  })
  expect(questionOf({ ...whole, consistency: 'fullyConsistent', token: 't' })).toMatchObject({
    consistency: { kind: 'fullyConsistent' },
  })
  expect(questionOf({ ...whole, subject: 'user' })).toBeUndefined()
})

test('what cannot be read is not left out of the question', () => {
  const whole = { subject: 'user:ada', permission: 'view', resource: 'document:roadmap' }
  expect(questionOf(whole)).toBeDefined()
  expect(questionOf({ ...whole, context: '{hour' })).toBeUndefined()
})

test.for([
  ['user:ada', { type: 'user', id: 'ada' }],
  ['user:al:ice', { type: 'user', id: 'al:ice' }],
  ['user:a b', { type: 'user', id: 'a b' }],
  ['group:staff#member', { type: 'group', id: 'staff', relation: 'member' }],
  ['ada', { type: 'person', id: 'ada' }],
  ['user:', { type: 'user', id: '' }],
  [undefined, { type: 'person', id: '' }],
] as const)('a subject written as %o is %o', ([text, read]) => {
  expect(writtenReference(text, 'person')).toEqual(read)
})
