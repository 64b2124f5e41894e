import type { Relationship } from './graph/relationship.ts'

/** For tests: parses `document:plan#viewer@group:staff#member[caveat:{"a":1}]`, without checking the names. */
export function parseRow(text: string): Relationship {
  const parts = /^(.+?):(.+?)#(\w+)@(.+?):([^#[]+)(?:#(\w+))?(?:\[(\w+)(?::(\{.*\}))?\])?$/.exec(text)
  if (!parts) throw new Error(`Not a relationship: ${text}`)
  const [, type = '', id = '', relation = '', subjectType = '', subjectId = '', subjectRelation, caveat, context] =
    parts
  return {
    resource: { type, id },
    relation,
    subject: { type: subjectType, id: subjectId, ...(subjectRelation && { relation: subjectRelation }) },
    ...(caveat && { caveat: { name: caveat, ...(context && { context: JSON.parse(context) }) } }),
  }
}

/** Formats a relationship without its caveat. */
export function printRow({ resource, relation, subject }: Relationship): string {
  const relationSuffix = subject.relation ? `#${subject.relation}` : ''
  return `${resource.type}:${resource.id}#${relation}@${subject.type}:${subject.id}${relationSuffix}`
}
