import { printCheck } from '@passport/permissions'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseCheckSearch, parseContext, parseReferenceDraft, toCheckSearch, toQuestion } from './check-search.ts'
import { parseQuestionText, toCurl, toZed } from './question-text.ts'

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
/** Removes values that JSON cannot represent, such as negative zero. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

test('a check is unchanged after formatting and parsing as an assertion and as a URL', () => {
  fc.assert(
    fc.property(question, (question) => {
      expect(parseQuestionText(printCheck(question))).toEqual(plain(question))
      expect(toQuestion(toCheckSearch(question))).toEqual(plain(question))
    }),
  )
})

const check = {
  resource: { type: 'document', id: 'payroll' },
  permission: 'view',
  subject: { type: 'user', id: 'dev' },
  context: { word: "it's" },
}

test('toCurl and toZed quote values for a shell', () => {
  expect(toCurl(check, 'https://id.example')).toContain(`"context":{"word":"it'\\''s"}}'`)
  expect(toZed(check)).toBe(
    `zed permission check document:payroll view user:dev --caveat-context '{"word":"it'\\''s"}'`,
  )
})

test('an assertion has the format of a validation file', () => {
  expect(printCheck(check)).toBe(`document:payroll#view@user:dev with {"word":"it's"}`)
  expect(parseQuestionText('document:payroll#view@user:dev with [1]')).toBeUndefined()
  expect(parseQuestionText('document:payroll@user:dev')).toBeUndefined()
})

test.for([
  [undefined, {}],
  ['  ', {}],
  ['{"a":1}', { a: 1 }],
  ['[]', undefined],
  ['null', undefined],
  ['{', undefined],
] as const)('the context %o is parsed as %o', ([text, context]) => expect(parseContext(text)).toEqual(context))

test('repeated parameters are ignored, and a revision is used only by the kinds that need one', () => {
  expect(parseCheckSearch({ subject: ['a', 'b'], permission: '', view: 'path', other: 'x' })).toEqual({ view: 'path' })
  const search = { subject: 'user:ada', permission: 'view', resource: 'document:a' }
  expect(toQuestion({ ...search, consistency: 'atLeastAsFresh' })).toBeUndefined()
  expect(toQuestion({ ...search, consistency: 'atLeastAsFresh', token: 't' })).toMatchObject({
    consistency: { kind: 'atLeastAsFresh', token: 't' },
  })
  expect(toQuestion({ ...search, consistency: 'fullyConsistent', token: 't' })).toMatchObject({
    consistency: { kind: 'fullyConsistent' },
  })
  expect(toQuestion({ ...search, subject: 'user' })).toBeUndefined()
})

test('an invalid context makes the check invalid', () => {
  const search = { subject: 'user:ada', permission: 'view', resource: 'document:roadmap' }
  expect(toQuestion(search)).toBeDefined()
  expect(toQuestion({ ...search, context: '{hour' })).toBeUndefined()
})

test.for([
  ['user:ada', { type: 'user', id: 'ada' }],
  ['user:al:ice', { type: 'user', id: 'al:ice' }],
  ['user:a b', { type: 'user', id: 'a b' }],
  ['group:staff#member', { type: 'group', id: 'staff', relation: 'member' }],
  ['ada', { type: 'person', id: 'ada' }],
  ['user:', { type: 'user', id: '' }],
  [undefined, { type: 'person', id: '' }],
] as const)('the subject %o is parsed leniently as %o', ([text, read]) => {
  expect(parseReferenceDraft(text, 'person')).toEqual(read)
})
