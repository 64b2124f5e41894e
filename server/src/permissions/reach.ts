import type { Expression, Schema } from '@passport/permissions/schema'

/** What a question can depend on, each as `document#viewer`. */
export interface RelationsBehind {
  relations: Set<string>
  /** Those on the left of an arrow. */
  arrows: Set<string>
}

/** The relations that whoever has a relation or permission of a type can have it by. */
export function relationsBehind({ definitions }: Schema, type: string, name: string): RelationsBehind {
  const behind: RelationsBehind = { relations: new Set(), arrows: new Set() }
  const seen = new Set<string>()

  function visit(type: string, name: string) {
    const here = `${type}#${name}`
    if (seen.has(here)) return
    seen.add(here)
    const definition = definitions.get(type)
    const relation = definition?.relations.get(name)
    if (relation) behind.relations.add(here)
    for (const allowed of relation?.allowed ?? []) if (allowed.relation) visit(allowed.type, allowed.relation)
    const permission = definition?.permissions.get(name)
    if (permission) walk(type, permission.expression)
  }

  function walk(type: string, expression: Expression) {
    if (expression.kind === 'reference') visit(type, expression.name)
    if (expression.kind === 'union' || expression.kind === 'intersection')
      for (const operand of expression.operands) walk(type, operand)
    if (expression.kind === 'exclusion') {
      walk(type, expression.base)
      walk(type, expression.subtracted)
    }
    if (expression.kind !== 'arrow') return
    const left = `${type}#${expression.left}`
    behind.relations.add(left)
    behind.arrows.add(left)
    for (const allowed of definitions.get(type)?.relations.get(expression.left)?.allowed ?? [])
      visit(allowed.type, expression.right)
  }

  visit(type, name)
  return behind
}
