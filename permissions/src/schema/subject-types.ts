import { Budget } from '../evaluate/budget.ts'
import { findDependents } from './dependents.ts'
import { leaves } from './expression.ts'
import type { Expression, Relation, Schema } from './schema.ts'

/** Subject types, as `user` or `group#member`. */
type Types = ReadonlySet<string>

/** Returns the types found for `document#view`, or an empty set if it does not exist. */
type LookupTypes = (type: string, name: string) => Types

type Evaluate = (expression: Expression, type: string, schema: Schema, lookupTypes: LookupTypes) => Types

/** The possible subject types of the relations and permissions of a schema. A wildcard counts as its type. */
export interface SubjectTypes {
  /** Sorted; usersets count too: `group#member` and its own subject types. */
  find(type: string, name: string): string[]
  /** The types in any part of an expression, even subtracted; without usersets and `self`. */
  findInAnyPart(type: string, name: string): string[]
}

export function createSubjectTypes(schema: Schema): SubjectTypes {
  const preciseLookup = memoize(() => solve(schema, preciseTypes))
  const looseLookup = memoize(() => solve(schema, looseTypes))
  return {
    find: (type, name) => [...preciseLookup()(type, name)].sort(),
    findInAnyPart: (type, name) => [...looseLookup()(type, name)].filter((subject) => !subject.includes('#')).sort(),
  }
}

function memoize<T>(compute: () => T): () => T {
  let cached: { value: T } | undefined
  return () => {
    cached ??= { value: compute() }
    return cached.value
  }
}

/** The maximum number of types merged for one schema. Without cycles, each set is computed only a few times. */
const maxSteps = 100_000

/**
 * Re-evaluates the dependents of each set that has grown. Sets only grow, so this terminates even with cycles. Throws
 * `too-much-work`.
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
  return union(
    allowed.map(({ type, relation }) => {
      return relation === undefined ? new Set([type]) : new Set([`${type}#${relation}`, ...lookupTypes(type, relation)])
    }),
  )
}

const preciseTypes: Evaluate = (expression, type, schema, lookupTypes) => {
  if ('operands' in expression) {
    const sets = expression.operands.map((operand) => preciseTypes(operand, type, schema, lookupTypes))
    return expression.kind === 'union' ? union(sets) : sets.reduce(intersection)
  }
  if (expression.kind === 'exclusion') return preciseTypes(expression.base, type, schema, lookupTypes)
  if (expression.kind === 'nil') return new Set()
  if (expression.kind === 'self') return new Set([type])
  if (expression.kind === 'reference') return lookupTypes(type, expression.name)
  const { left, right } = expression
  const objects = schema.definitions.get(type)?.relations.get(left)?.allowed ?? []
  return union(objects.map((object) => lookupTypes(object.type, right)))
}

const looseTypes: Evaluate = (expression, type, schema, lookupTypes) => {
  const parts = leaves(expression).filter(({ kind }) => kind !== 'self')
  return union(parts.map((part) => preciseTypes(part, type, schema, lookupTypes)))
}

function union(sets: Types[]): Types {
  return new Set(sets.flatMap((set) => [...set]))
}

function intersection(left: Types, right: Types): Types {
  return new Set([...left].filter((type) => right.has(type)))
}
