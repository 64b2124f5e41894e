import { createSubjectTypes, type SubjectTypes } from './dependencies.ts'
import { printExpression } from './print.ts'
import type { AllowedSubject, CaveatParameter, CompiledDefinition, Schema } from './schema.ts'

/** A schema as data, for display and selection. */
export interface SchemaReflection {
  definitions: {
    name: string
    comment?: string
    relations: {
      name: string
      comment?: string
      allowed: Omit<AllowedSubject, 'span'>[]
      /** As for a permission. */
      subjects: { type: string; relation?: string }[]
    }[]
    permissions: {
      name: string
      comment?: string
      /** The expression with all parentheses: `(a + b) & c`. */
      expression: string
      /** The possible subject types; a userset has its relation. */
      subjects: { type: string; relation?: string }[]
    }[]
  }[]
  caveats: { name: string; comment?: string; parameters: CaveatParameter[]; expression: string }[]
}

const cache = new WeakMap<Schema, SchemaReflection>()

/** Returns a schema as data, in the order of its text. The result is cached, so callers must not modify it. */
export function reflectSchema(schema: Schema): SchemaReflection {
  const reflection = cache.get(schema) ?? reflect(schema)
  cache.set(schema, reflection)
  return reflection
}

function reflect(schema: Schema): SchemaReflection {
  const subjectTypes = createSubjectTypes(schema)
  return {
    definitions: [...schema.definitions.values()].map((definition) => reflectDefinition(definition, subjectTypes)),
    caveats: [...schema.caveats.values()].map(({ span, ...caveat }) => caveat),
  }
}

function reflectDefinition({ relations, permissions, ...definition }: CompiledDefinition, subjectTypes: SubjectTypes) {
  return {
    ...definition,
    relations: [...relations.values()].map(({ span, allowed, ...relation }) => ({
      ...relation,
      allowed: allowed.map(omitSpan),
      subjects: subjectTypes.find(definition.name, relation.name).map(parseSubject),
    })),
    permissions: [...permissions.values()].map(({ span, annotation, expression, ...permission }) => ({
      ...permission,
      expression: printExpression(expression, { parenthesised: true }),
      subjects: subjectTypes.find(definition.name, permission.name).map(parseSubject),
    })),
  }
}

function omitSpan({ span, ...subject }: AllowedSubject): Omit<AllowedSubject, 'span'> {
  return subject
}

function parseSubject(subject: string): { type: string; relation?: string } {
  const [type = '', relation] = subject.split('#')
  return relation === undefined ? { type } : { type, relation }
}
