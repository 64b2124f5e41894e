import { leaves } from './expression.ts'
import type { Expression, Relation, Schema } from './schema.ts'

/** Types of subject, as `user` or `group#member`. */
type Types = ReadonlySet<string>

/** What is found for `document#view`; nothing where there is no such thing. */
type Found = (type: string, name: string) => Types

type Evaluate = (expression: Expression, type: string, schema: Schema, found: Found) => Types

/** By which types of subject the relations and permissions of a schema can be had. Wildcards count as their type. */
export interface SubjectTypes {
  /** Sorted; with relations: `group#member` and what that in turn can be had by. */
  of(type: string, name: string): string[]
  /** The types that come up in any part of an expression, be it subtracted; without relations, and without `self`. */
  ofAnyPart(type: string, name: string): string[]
}

export function createSubjectTypes(schema: Schema): SubjectTypes {
  const precise = once(() => settle(schema, whoCanHave))
  const loose = once(() => settle(schema, whoComesUp))
  return {
    of: (type, name) => [...precise()(type, name)].sort(),
    ofAnyPart: (type, name) => [...loose()(type, name)].filter((subject) => !subject.includes('#')).sort(),
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Goes over the schema until nothing is found any more; sets only grow, so that ends, circles or not. */
function settle(schema: Schema, evaluate: Evaluate): Found {
  const sets = new Map<string, Types>()
  const found: Found = (type, name) => sets.get(`${type}#${name}`) ?? new Set()
  let hasGrown = true
  const put = (name: string, types: Types) => {
    hasGrown ||= types.size > (sets.get(name)?.size ?? 0)
    sets.set(name, types)
  }
  while (hasGrown) {
    hasGrown = false
    for (const [type, { relations, permissions }] of schema.definitions) {
      for (const [name, relation] of relations) put(`${type}#${name}`, ofRelation(relation, found))
      for (const [name, { expression }] of permissions) {
        put(`${type}#${name}`, evaluate(expression, type, schema, found))
      }
    }
  }
  return found
}

function ofRelation({ allowed }: Relation, found: Found): Types {
  return union(
    allowed.map(({ type, relation }) => {
      return relation === undefined ? new Set([type]) : new Set([`${type}#${relation}`, ...found(type, relation)])
    }),
  )
}

const whoCanHave: Evaluate = (expression, type, schema, found) => {
  if ('operands' in expression) {
    const sets = expression.operands.map((operand) => whoCanHave(operand, type, schema, found))
    return expression.kind === 'union' ? union(sets) : sets.reduce(intersection)
  }
  if (expression.kind === 'exclusion') return whoCanHave(expression.base, type, schema, found)
  if (expression.kind === 'nil') return new Set()
  if (expression.kind === 'self') return new Set([type])
  if (expression.kind === 'reference') return found(type, expression.name)
  const { left, right } = expression
  const objects = schema.definitions.get(type)?.relations.get(left)?.allowed ?? []
  return union(objects.map((object) => found(object.type, right)))
}

const whoComesUp: Evaluate = (expression, type, schema, found) => {
  const parts = leaves(expression).filter(({ kind }) => kind !== 'self')
  return union(parts.map((part) => whoCanHave(part, type, schema, found)))
}

function union(sets: Types[]): Types {
  return new Set(sets.flatMap((set) => [...set]))
}

function intersection(one: Types, other: Types): Types {
  return new Set([...one].filter((type) => other.has(type)))
}
