import { describe, expect, test } from 'vitest'
import * as z from 'zod/mini'
import { endpoints } from './api.ts'
import type { Schema } from './endpoint.ts'
import { refuseUnknown, withDefaults } from './request-body.ts'

const bodies = [...endpoints].flatMap(([name, { method, creates, body }]) =>
  body?.type === 'application/json' ? [{ name, method, creates, body }] : [],
)

/** The parts of a schema that are schemas themselves. */
function listParts(schema: Schema): [name: string, part: Schema][] {
  const { shape, element, innerType, options, valueType, ...def } = (schema as z.core.$ZodType)._zod
    .def as unknown as Record<string, Schema> & { shape?: Record<string, Schema>; options?: Schema[] }
  return [
    ...Object.entries(shape ?? {}).map(([name, part]): [string, Schema] => [`.${name}`, part]),
    ...(element ? [['[]', element] as [string, Schema]] : []),
    ...[...(options ?? []), innerType, valueType, def['in'], def['out']].flatMap((part): [string, Schema][] =>
      part ? [['', part]] : [],
    ),
  ]
}

/** Lists a schema and those within it, with their paths. */
function listSchemas(schema: Schema, path = ''): { path: string; def: { type: string; catchall?: unknown } }[] {
  const { def } = (schema as z.core.$ZodType)._zod
  return [{ path, def }, ...listParts(schema).flatMap(([name, part]) => listSchemas(part, path + name))]
}

/** Lists the paths of the objects in a schema, by whether they refuse unknown members. */
function listObjects(schema: Schema, isStrict: boolean): string[] {
  return listSchemas(schema).flatMap(({ path, def }) =>
    def.type === 'object' && (def.catchall !== undefined) === isStrict ? [path] : [],
  )
}

/** Changes of memberships and roles by PUT: they replace a list or a role, not an entity. */
const memberships = ['putGroupRoles', 'putOrgMember', 'putOwnOrgMember', 'setUserRoles']
/** Creations that are actions: a misspelt time of a report would bill another hour. */
const reports = ['reportUsage']
/** Messages of other systems, which add members. */
const messages = ['receiveAwsEvent', 'receiveConnection']

test.for(bodies)('the body of $name is an entity, an action or a message, as its method says', (sent) => {
  const { name, method, creates, body } = sent
  const isAction = memberships.includes(name) || reports.includes(name) || (method === 'POST' && !creates)
  expect(body.kind).toBe(messages.includes(name) ? 'message' : isAction ? 'action' : 'entity')
})

test.for(bodies.filter(({ body }) => body.kind === 'action'))(
  'no object in the body of the action $name ignores unknown members',
  ({ body }) => expect(listObjects(body.schema, false)).toEqual([]),
)

test.for(bodies.filter(({ body }) => body.kind !== 'action'))(
  'no object in the body of the entity or message $name refuses unknown members',
  ({ body }) => expect(listObjects(body.schema, true)).toEqual([]),
)

describe('refuseUnknown', () => {
  const Inner = z.object({ a: z.optional(z.string()) })
  const refused = (schema: Schema, value: unknown) =>
    z.safeParse(refuseUnknown(schema), value).error?.issues.map(({ code, path }) => `${code} ${path.join('.')}`)

  test('finds objects in every kind of schema', () => {
    const schema = z.object({
      list: z.array(Inner),
      optional: z.optional(Inner),
      nullable: z.nullable(Inner),
      byName: z.record(z.string(), Inner),
      either: z.discriminatedUnion('kind', [z.object({ kind: z.literal('x') }), z.object({ kind: z.literal('y') })]),
      changed: z.pipe(
        z.transform((value) => value),
        Inner,
      ),
      preset: z._default(Inner, {}),
    })
    const b = { b: 1 }
    const value = {
      list: [b],
      optional: b,
      nullable: b,
      byName: { c: b },
      either: { kind: 'x', b: 1 },
      changed: b,
      preset: b,
    }
    expect(z.safeParse(schema, value).error).toBeUndefined()
    expect(refused(schema, { ...value, other: 1 })).toEqual([
      ...['list.0', 'optional', 'nullable', 'byName.c', 'either', 'changed', 'preset', ''].map(
        (path) => `unrecognized_keys ${path}`,
      ),
    ])
  })

  test('keeps checks, and the members of records', () => {
    const schema = z
      .object({ context: z.record(z.string(), z.unknown()), a: z.string() })
      .check(z.refine(({ a }) => a !== 'x', { error: 'Not x.' }))
    expect(refused(schema, { context: { any: { thing: 1 } }, a: 'x' })).toEqual(['custom '])
    expect(z.safeParse(refuseUnknown(schema), { context: { any: 1 }, a: 'y' }).success).toBe(true)
  })
})

test('withDefaults makes the named fields optional, and no others', () => {
  const fields = { name: z.string(), note: z.nullable(z.string()), enabled: z.boolean() }
  const New = z.object(withDefaults(fields, { note: null, enabled: true }))
  expect(z.parse(New, { name: 'x' })).toEqual({ name: 'x', note: null, enabled: true })
  expect(z.parse(New, { name: 'x', note: 'n', enabled: false })).toEqual({ name: 'x', note: 'n', enabled: false })
  expect(z.safeParse(New, { enabled: true }).error?.issues.map(({ path }) => path)).toEqual([['name']])
  expect(z.safeParse(New, { name: 'x', enabled: null }).success).toBe(false)
})
