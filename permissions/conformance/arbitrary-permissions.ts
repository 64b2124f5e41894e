import fc from 'fast-check'
import type { CaveatContext, Relationship, RelationshipFilter } from '../src/graph/relationship.ts'
import { caveatNames, caveatTexts, contextArbitrary } from './arbitrary-caveats.ts'

interface ResourcePermission {
  resource: string
  permission: string
}

interface SubjectPermission {
  subject: string
  permission: string
  context: CaveatContext
}

export type CheckEngineRequest = { kind: 'check' } & ResourcePermission & SubjectPermission

/** A request to both engines. */
export type EngineRequest =
  | CheckEngineRequest
  | ({ kind: 'resources'; type: string } & SubjectPermission)
  | ({ kind: 'subjects'; wildcards?: 'exclude' } & ResourcePermission & SubjectPermission)
  | ({ kind: 'expand' } & ResourcePermission)
  | { kind: 'read'; filter: RelationshipFilter }
  | { kind: 'write'; relationship: Relationship }

/** A schema, its relationships, and requests about them. */
export interface World {
  schema: string
  relationships: Relationship[]
  requests: EngineRequest[]
}

/** A subject type allowed in a relation. */
interface Allowed {
  subject: string
  caveat?: string
  expires: boolean
}

interface RelationSeed {
  name: string
  allowed: Allowed[]
}

interface DefinitionSeed {
  name: string
  relations: RelationSeed[]
  permissions: { name: string; expression: string }[]
}

const ids = ['one', 'two', 'six']
const userIds = ['ann', 'bob', 'cat']
const future = Date.UTC(2999, 0, 1)
const past = Date.UTC(2001, 0, 1)

/** The traits of an allowed subject, mostly none. */
const traits = fc.oneof(
  { weight: 5, arbitrary: fc.constant({ expires: false }) },
  { weight: 2, arbitrary: fc.record({ caveat: fc.constantFrom(...caveatNames), expires: fc.constant(false) }) },
  { weight: 1, arbitrary: fc.constant({ expires: true }) },
  { weight: 1, arbitrary: fc.record({ caveat: fc.constantFrom(...caveatNames), expires: fc.constant(true) }) },
)

function relationArbitrary(name: string, subjects: string[]): fc.Arbitrary<RelationSeed> {
  const kind = fc.tuple(fc.constantFrom(...subjects), traits).map(([subject, trait]) => ({ subject, ...trait }))
  return fc
    .uniqueArray(kind, { minLength: 1, maxLength: 4, selector: printAllowed })
    .map((allowed) => ({ name, allowed }))
}

const operators = fc.constantFrom(' + ', ' + ', ' + ', ' & ', ' - ')

/**
 * Operands with random operators, to test precedence, and a few parentheses: SpiceDB evaluates shared parts of a graph
 * again and again, and takes minutes for four levels of nesting.
 */
function expressionArbitrary(atoms: string[]): fc.Arbitrary<string> {
  const atom = fc.constantFrom(...atoms)
  const pair = fc.tuple(atom, operators, atom).map((parts) => `(${parts.join('')})`)
  const operand = fc.oneof({ weight: 5, arbitrary: atom }, { weight: 1, arbitrary: pair })
  return fc
    .array(fc.tuple(operators, operand), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.map(([operator, text], index) => (index === 0 ? '' : operator) + text).join(''))
}

function definitionArbitrary(
  name: string,
  relations: [name: string, subjects: string[]][],
  permissions: [name: string, atoms: string[]][],
): fc.Arbitrary<DefinitionSeed> {
  return fc.record({
    name: fc.constant(name),
    relations: fc.tuple(...relations.map(([relationName, subjects]) => relationArbitrary(relationName, subjects))),
    permissions: fc.tuple(
      ...permissions.map(([permission, atoms]) =>
        expressionArbitrary(atoms).map((text) => ({ name: permission, expression: text })),
      ),
    ),
  })
}

const groupUsersets = ['group#member', 'group#everyone']
const anyone = ['user', 'user', 'user', 'user:*', 'group', ...groupUsersets]

const definitions = fc.tuple(
  definitionArbitrary(
    'group',
    [
      ['member', ['user', 'user', 'user', 'user', ...groupUsersets]],
      ['barred', ['user', 'group#member']],
    ],
    [['everyone', ['member', 'member', 'barred', 'self', 'nil']]],
  ),
  definitionArbitrary(
    'folder',
    [
      ['parent', ['folder', 'folder', 'folder#viewer']],
      ['viewer', anyone],
      ['barred', [...anyone, 'user:* ']],
    ],
    [
      ['view', ['viewer', 'viewer', 'barred', 'parent->view', 'parent->viewer', 'parent.all(view)', 'self', 'nil']],
      ['edit', ['view', 'viewer', 'barred', 'parent.any(view)', 'parent->edit', 'parent.all(viewer)']],
    ],
  ),
  definitionArbitrary(
    'document',
    [
      ['parent', ['folder', 'folder', 'document', 'group']],
      ['reader', [...anyone, 'document']],
      ['writer', anyone],
      ['barred', anyone],
    ],
    [
      ['read', ['reader', 'writer', 'barred', 'parent->view', 'parent->viewer', 'parent->everyone', 'self']],
      ['write', ['read', 'writer', 'barred', 'parent.all(view)', 'parent.any(edit)', 'parent->write', 'nil']],
      ['share', ['read', 'write', 'reader', 'writer', 'barred', 'parent.all(edit)', 'parent->read']],
    ],
  ),
)

/** A relationship as indexes into a schema, so that both shrink independently. */
const row = fc.record({
  definition: fc.nat(2),
  relation: fc.nat(3),
  allowed: fc.nat(3),
  resource: fc.nat(ids.length - 1),
  subject: fc.nat(4),
  isPast: fc.integer({ min: 0, max: 5 }).map((number) => number === 5),
  context: contextArbitrary({ hasErrors: false }),
})

const requestSeed = fc.record({
  kind: fc.constantFrom('check', 'check', 'check', 'check', 'check', 'resources', 'subjects', 'read', 'write'),
  definition: fc.nat(2),
  name: fc.nat(20),
  resource: fc.nat(ids.length - 1),
  subject: fc.nat(40),
  context: contextArbitrary({ hasErrors: true }),
  row,
})

/** The length of an additional chain of nested groups: around the limit of 50, or a cycle. */
const chain = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ length: 0, isRing: false }) },
  { weight: 1, arbitrary: fc.record({ length: fc.integer({ min: 46, max: 53 }), isRing: fc.constant(false) }) },
  { weight: 1, arbitrary: fc.record({ length: fc.integer({ min: 1, max: 3 }), isRing: fc.constant(true) }) },
)
type ChainSeed = typeof chain extends fc.Arbitrary<infer T> ? T : never

/** Random worlds with `count` requests each. */
export function worldArbitrary(count: number): fc.Arbitrary<World> {
  return fc
    .record({
      definitions,
      rows: fc.array(row, { minLength: 0, maxLength: 70, size: 'max' }),
      chain,
      seeds: fc.array(requestSeed, { minLength: count, maxLength: count }),
    })
    .map(({ definitions: seeds, rows, chain: chainSeed, seeds: requestSeeds }) => ({
      schema: printSchema(seeds),
      relationships: removeDuplicates([
        ...rows.map((numbers) => toRelationship(seeds, numbers)),
        ...buildChain(seeds, chainSeed),
      ]),
      requests: requestSeeds.map((seed) => toRequest(seeds, seed, chainSeed.length)),
    }))
}

function printSchema(seeds: DefinitionSeed[]): string {
  const texts = seeds.map(({ name, relations, permissions }) => {
    const lines = [
      ...relations.map((seed) => `  relation ${seed.name}: ${seed.allowed.map(printAllowed).join(' | ')}`),
      ...permissions.map((seed) => `  permission ${seed.name} = ${seed.expression}`),
    ]
    return `definition ${name} {\n${lines.join('\n')}\n}`
  })
  const used = caveatNames.filter((name) => texts.some((text) => text.includes(` with ${name}`)))
  return ['use expiration\nuse self', ...used.map((name) => caveatTexts[name]), 'definition user {}', ...texts].join(
    '\n\n',
  )
}

function printAllowed({ subject, caveat, expires }: Allowed): string {
  const conditions = [caveat, expires ? 'expiration' : undefined].filter((part) => part !== undefined)
  return subject.trim() + (conditions.length > 0 ? ` with ${conditions.join(' and ')}` : '')
}

function pick<T>(items: readonly T[], number: number): T {
  return items[number % items.length] as T
}

function toRelationship(seeds: DefinitionSeed[], numbers: RowSeed): Relationship {
  const seed = pick(seeds, numbers.definition)
  const { name, allowed } = pick(seed.relations, numbers.relation)
  const kind = pick(allowed, numbers.allowed)
  const context = pickContext(kind.caveat, numbers.context)
  const [resource, subject] = orderIds(seed.name, kind.subject.trim(), numbers)
  return {
    resource: { type: seed.name, id: pick(ids, resource) },
    relation: name,
    subject: toSubject(kind.subject.trim(), subject),
    ...(kind.caveat && { caveat: { name: kind.caveat, ...(Object.keys(context).length > 0 && { context }) } }),
    ...(kind.expires && { expiresAt: numbers.isPast ? past : future }),
  }
}

/**
 * Returns the indexes of the ids of a relationship. Inside a type, they ascend, so that only `buildChain` creates
 * cycles: in a cycle with branches, SpiceDB follows every path of 50 steps and never finishes.
 */
function orderIds(type: string, kind: string, { resource, subject }: RowSeed): [resource: number, subject: number] {
  const [resourceIndex, subjectIndex] = [resource % ids.length, subject % ids.length]
  if (!kind.startsWith(type)) return [resourceIndex, subject]
  if (resourceIndex === subjectIndex) return resourceIndex === 0 ? [0, 1] : [resourceIndex - 1, resourceIndex]
  return [Math.min(resourceIndex, subjectIndex), Math.max(resourceIndex, subjectIndex)]
}

type RowSeed = typeof row extends fc.Arbitrary<infer T> ? T : never
type RequestSeed = typeof requestSeed extends fc.Arbitrary<infer T> ? T : never

/** Returns the part of a context that a caveat declares: a relationship may not have other parameters. */
function pickContext(caveat: string | undefined, context: CaveatContext): CaveatContext {
  const declared = caveatTexts[caveat ?? '']?.split('{')[0] ?? ''
  return Object.fromEntries(Object.entries(context).filter(([name]) => new RegExp(`[(,] ?${name} `).test(declared)))
}

function toSubject(kind: string, number: number): Relationship['subject'] {
  const [, type = '', relationName, wildcard] = /^(\w+)(?:#(\w+)|:(\*))?$/.exec(kind) ?? []
  const id = wildcard ?? pick(type === 'user' ? userIds : ids, number)
  return { type, id, ...(relationName && { relation: relationName }) }
}

/**
 * Builds a chain such as `group:c0#member@group:c1#member` that ends at a user or at its start, if the schema allows
 * it. The readers of `document:one` include its start.
 */
function buildChain(seeds: DefinitionSeed[], { length, isRing }: ChainSeed): Relationship[] {
  if (length === 0 || !allows(seeds, 'group', 'member', 'group#member')) return []
  const nest = (index: number, next: number): Relationship => ({
    resource: { type: 'group', id: `c${index}` },
    relation: 'member',
    subject: { type: 'group', id: `c${next}`, relation: 'member' },
  })
  const end = { resource: { type: 'group', id: `c${length - 1}` }, relation: 'member' }
  const document = { resource: { type: 'document', id: 'one' }, relation: 'reader' }
  return [
    ...Array.from({ length: length - 1 }, (_, index) => nest(index, index + 1)),
    ...(isRing ? [nest(length - 1, 0)] : []),
    ...(allows(seeds, 'group', 'member', 'user') ? [{ ...end, subject: { type: 'user', id: 'dee' } }] : []),
    ...(allows(seeds, 'document', 'reader', 'group#member')
      ? [{ ...document, subject: { type: 'group', id: 'c0', relation: 'member' } }]
      : []),
  ]
}

function allows(seeds: DefinitionSeed[], type: string, relationName: string, kind: string): boolean {
  const relations = seeds.find(({ name }) => name === type)?.relations ?? []
  return relations.some(
    ({ name, allowed }) => name === relationName && allowed.some((item) => printAllowed(item) === kind),
  )
}

function removeDuplicates(relationships: Relationship[]): Relationship[] {
  const key = ({ resource, relation: name, subject }: Relationship) => JSON.stringify([resource, name, subject])
  return [...new Map(relationships.map((item) => [key(item), item])).values()]
}

function toRequest(seeds: DefinitionSeed[], seed: RequestSeed, chainLength: number): EngineRequest {
  const definitionSeed = pick(seeds, seed.definition)
  const { name: type, relations, permissions } = definitionSeed
  const names = [...permissions, ...permissions, ...permissions, ...relations].map(({ name }) => name)
  const permission = seed.name === 20 ? 'missing' : pick(names, seed.name)
  const isOfChain = chainLength > 0 && seed.subject % 4 === 0
  const resource = isOfChain ? `group:c${seed.resource}` : `${type}:${pick(ids, seed.resource)}`
  const common = { permission: isOfChain ? 'member' : permission, context: seed.context }
  const subject = isOfChain && seed.subject % 8 === 0 ? 'user:dee' : pick(subjects, seed.subject)
  switch (seed.kind) {
    case 'resources':
      return { kind: 'resources', type: isOfChain ? 'group' : type, subject, ...common }
    case 'subjects':
      return {
        kind: 'subjects',
        resource,
        subject: pick(subjectKinds, seed.subject),
        ...common,
        ...(seed.row.resource === 1 && { wildcards: 'exclude' }),
      }
    case 'read':
      return { kind: 'read', filter: toFilter(definitionSeed, seed) }
    case 'write':
      return { kind: 'write', relationship: corrupt(toRelationship(seeds, seed.row), seed.name) }
    default:
      return { kind: 'check', resource, subject, ...common }
  }
}

const users = userIds.map((id) => `user:${id}`)
const subjects = [
  ...users,
  ...users,
  ...users,
  ...users,
  'user:unknown',
  'user:*',
  'group:one',
  'group:two#member',
  'group:one#everyone',
  'group:six#missing',
  'folder:one#viewer',
  'folder:two',
  'document:one',
  'document:two#read',
  'nothing:one',
]
const subjectKinds = [
  'user',
  'user',
  'user',
  'user',
  'group',
  'group#member',
  'group#everyone',
  'folder',
  'document',
  'nothing',
  'group#missing',
]

function toFilter({ name, relations }: DefinitionSeed, seed: RequestSeed): RelationshipFilter {
  const { subject, resource } = seed
  return {
    ...(subject % 5 !== 0 && { resourceType: name }),
    ...(subject % 3 === 0 && { resourceId: pick(ids, resource) }),
    ...(subject % 3 === 1 && { resourceIdPrefix: 't' }),
    ...(subject % 2 === 0 && { relation: seed.name === 20 ? 'missing' : pick(relations, seed.name).name }),
    ...(subject % 7 < 4 && { subjectType: pick(['user', 'group', 'folder'], resource) }),
    ...(subject % 7 === 1 && { subjectId: 'one' }),
    ...(subject % 7 === 2 && { subjectRelation: 'member' }),
    ...(subject % 7 === 3 && { subjectRelation: '' }),
  }
}

/** Returns the relationship, made invalid by most numbers. */
function corrupt(relationship: Relationship, number: number): Relationship {
  const { resource, subject, caveat, ...rest } = relationship
  const { expiresAt: _, ...lasting } = rest
  switch (number % 10) {
    case 0:
      return { ...rest, resource, subject }
    case 1:
      return { ...lasting, resource, subject, ...(caveat && { caveat }) }
    case 2:
      return { ...relationship, subject: { type: 'user', id: '*' } }
    case 3:
      return { ...relationship, subject: { ...subject, relation: 'member' } }
    case 4:
      return { ...relationship, relation: 'view' }
    case 5:
      return { ...relationship, caveat: { name: 'unheard_of' } }
    case 6:
      return { ...relationship, resource: { ...resource, id: 'not good' } }
    case 7:
      return { ...relationship, subject: { type: 'nothing', id: 'one' } }
    case 8:
      return { ...relationship, caveat: { name: pick(caveatNames, subject.id.length), context: { number: 'seven' } } }
    default:
      return relationship
  }
}
