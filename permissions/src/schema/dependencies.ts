import { Budget } from '../evaluate/budget.ts'
import { collectLeaves, type Expression, type Permission, type Relation, type Schema } from './schema.ts'

/** Subject types, as `user` or `group#member`. */
type Types = ReadonlySet<string>

/** Returns the types found so far for `document#view`; none if it does not exist. */
type LookupTypes = (type: string, name: string) => Types

type Evaluate = (expression: Expression, type: string, schema: Schema, lookupTypes: LookupTypes) => Types

/** The possible subject types of the relations and permissions of a schema. A wildcard counts as its type. */
export interface SubjectTypes {
  /** Returns the sorted subject types. A userset is listed as `group#member`, along with its own subject types. */
  find(type: string, name: string): string[]
  /** Like `find`, for all parts of an expression, even subtracted ones. Omits usersets and `self`. */
  findInAnyPart(type: string, name: string): string[]
}

/** Prepares the subject types of a schema. Its methods compute them on demand, and throw `too-much-work`. */
export function createSubjectTypes(schema: Schema): SubjectTypes {
  let findPrecise: LookupTypes | undefined
  let findLoose: LookupTypes | undefined
  return {
    find: (type, name) => {
      findPrecise ??= solve(schema, evaluatePrecisely)
      return [...findPrecise(type, name)].sort()
    },
    findInAnyPart: (type, name) => {
      findLoose ??= solve(schema, evaluateLoosely)
      return [...findLoose(type, name)].filter((subject) => !subject.includes('#')).sort()
    },
  }
}

/** The maximum number of merged types. A schema without cycles needs few, because it computes each set a few times. */
const maxSteps = 100_000

/**
 * Evaluates the types of every relation and permission to their least fixed point: the dependents of a set that has
 * grown are evaluated again. Throws `too-much-work`.
 */
function solve(schema: Schema, evaluate: Evaluate): LookupTypes {
  const sets = new Map<string, Types>()
  const lookupTypes: LookupTypes = (type, name) => sets.get(`${type}#${name}`) ?? new Set()
  const budget = new Budget(maxSteps)
  const dependents = findDependents([schema])
  const pending = new Set(
    [...schema.definitions.values()].flatMap(({ name, relations, permissions }) =>
      [...relations.keys(), ...permissions.keys()].map((member) => `${name}#${member}`),
    ),
  )
  for (const name of pending) {
    pending.delete(name)
    const types = evaluateTypes(name, schema, evaluate, lookupTypes)
    budget.spend(1 + types.size)
    if (types.size === (sets.get(name)?.size ?? 0)) continue
    sets.set(name, types)
    for (const dependent of dependents.get(name) ?? []) pending.add(dependent)
  }
  return lookupTypes
}

function evaluateTypes(qualifiedName: string, schema: Schema, evaluate: Evaluate, lookupTypes: LookupTypes): Types {
  const [type = '', name = ''] = qualifiedName.split('#')
  const definition = schema.definitions.get(type)
  const relation = definition?.relations.get(name)
  if (relation) return evaluateRelationTypes(relation, lookupTypes)
  const permission = definition?.permissions.get(name)
  return permission ? evaluate(permission.expression, type, schema, lookupTypes) : new Set()
}

function evaluateRelationTypes({ allowed }: Relation, lookupTypes: LookupTypes): Types {
  return unite(
    allowed.map(({ type, relation }) => {
      return relation === undefined ? new Set([type]) : new Set([`${type}#${relation}`, ...lookupTypes(type, relation)])
    }),
  )
}

const evaluatePrecisely: Evaluate = (expression, type, schema, lookupTypes) => {
  if ('operands' in expression) {
    const sets = expression.operands.map((operand) => evaluatePrecisely(operand, type, schema, lookupTypes))
    return expression.kind === 'union' ? unite(sets) : sets.reduce(intersect)
  }
  if (expression.kind === 'exclusion') return evaluatePrecisely(expression.base, type, schema, lookupTypes)
  if (expression.kind === 'nil') return new Set()
  if (expression.kind === 'self') return new Set([type])
  if (expression.kind === 'reference') return lookupTypes(type, expression.name)
  const { left, right } = expression
  const objects = schema.definitions.get(type)?.relations.get(left)?.allowed ?? []
  return unite(objects.map((object) => lookupTypes(object.type, right)))
}

const evaluateLoosely: Evaluate = (expression, type, schema, lookupTypes) => {
  const parts = collectLeaves(expression).filter(({ kind }) => kind !== 'self')
  return unite(parts.map((part) => evaluatePrecisely(part, type, schema, lookupTypes)))
}

function unite(sets: Types[]): Types {
  return new Set(sets.flatMap((set) => [...set]))
}

function intersect(left: Types, right: Types): Types {
  return new Set([...left].filter((type) => right.has(type)))
}

/** The direct dependents of each relation or permission, as `group#member`. */
export type Dependents = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Finds the dependents in any of the schemas: by expressions, by both sides of arrows, and by the usersets of
 * relations.
 */
export function findDependents(schemas: readonly Schema[]): Dependents {
  const dependents = new Map<string, Set<string>>()
  const add = (dependency: string, dependent: string) => {
    dependents.set(dependency, (dependents.get(dependency) ?? new Set()).add(dependent))
  }
  for (const schema of schemas) {
    for (const [type, { relations, permissions }] of schema.definitions) {
      for (const relation of relations.values())
        for (const dependency of listDependenciesOfRelation(relation)) add(dependency, `${type}#${relation.name}`)
      for (const permission of permissions.values()) {
        for (const dependency of listDependenciesOfPermission(permission, type, schema))
          add(dependency, `${type}#${permission.name}`)
      }
    }
  }
  return dependents
}

/**
 * Returns these names and their transitive dependents, or only a part after more than `maxSteps` steps. A step is a
 * reached name or a dependency.
 */
export function findTransitive(names: Iterable<string>, dependents: Dependents, maxSteps: number) {
  const reached = new Set(names)
  let steps = reached.size
  for (const name of reached) {
    if (steps > maxSteps) return { reached, isWhole: false, steps }
    const direct = dependents.get(name)
    for (const dependent of direct ?? []) reached.add(dependent)
    steps += direct?.size ?? 0
  }
  return { reached, isWhole: true, steps }
}

function listDependenciesOfRelation({ allowed }: Relation): string[] {
  return allowed.flatMap(({ type, relation }) => (relation === undefined ? [] : [`${type}#${relation}`]))
}

function listDependenciesOfPermission({ expression }: Permission, type: string, schema: Schema): string[] {
  return collectLeaves(expression).flatMap((leaf) => {
    if (leaf.kind === 'reference') return [`${type}#${leaf.name}`]
    if (leaf.kind !== 'arrow') return []
    const objects = schema.definitions.get(type)?.relations.get(leaf.left)?.allowed ?? []
    return [`${type}#${leaf.left}`, ...objects.map((object) => `${object.type}#${leaf.right}`)]
  })
}

/**
 * Returns the relation with the wildcard that a relation includes, as `group#member`: the relation itself or another.
 */
export function findWildcard(schema: Schema, type: string, relation: string): string | undefined {
  const wildcards = cache.get(schema) ?? findWildcards(schema)
  cache.set(schema, wildcards)
  return wildcards.get(`${type}#${relation}`)
}

/** The wildcards of each schema. One search per relation would take quadratic time. */
const cache = new WeakMap<Schema, ReadonlyMap<string, string>>()

/**
 * Maps each relation that includes a wildcard to the nearest relation with one. Walks from the relations with wildcards
 * to those that include them.
 */
function findWildcards({ definitions }: Schema): ReadonlyMap<string, string> {
  const wildcards = new Map<string, string>()
  const includedIn = new Map<string, string[]>()
  for (const [type, { relations }] of definitions) {
    for (const [relation, { allowed }] of relations) {
      const name = `${type}#${relation}`
      for (const subject of allowed) {
        if (subject.isWildcard) wildcards.set(name, name)
        if (subject.relation === undefined) continue
        const included = `${subject.type}#${subject.relation}`
        const includers = includedIn.get(included) ?? []
        includers.push(name)
        includedIn.set(included, includers)
      }
    }
  }
  for (const [name, wildcard] of wildcards) {
    for (const includer of includedIn.get(name) ?? []) {
      if (!wildcards.has(includer)) wildcards.set(includer, wildcard)
    }
  }
  return wildcards
}
