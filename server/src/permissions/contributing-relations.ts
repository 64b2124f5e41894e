import type { Expression, Schema } from '@passport/permissions'

/** The relations a question can depend on, as `document#viewer`. */
export interface ContributingRelations {
  relations: Set<string>
  /** Relations on the left of an arrow. */
  arrows: Set<string>
}

/** Returns the relations that can contribute to a relation or permission of a type. */
export function findContributingRelations({ definitions }: Schema, type: string, name: string): ContributingRelations {
  const result: ContributingRelations = { relations: new Set(), arrows: new Set() }
  const visited = new Set<string>()

  function visitName(type: string, name: string) {
    const key = `${type}#${name}`
    if (visited.has(key)) return
    visited.add(key)
    const definition = definitions.get(type)
    const relation = definition?.relations.get(name)
    if (relation) result.relations.add(key)
    for (const allowed of relation?.allowed ?? []) if (allowed.relation) visitName(allowed.type, allowed.relation)
    const permission = definition?.permissions.get(name)
    if (permission) visitExpression(type, permission.expression)
  }

  function visitExpression(type: string, expression: Expression) {
    if (expression.kind === 'reference') visitName(type, expression.name)
    if (expression.kind === 'union' || expression.kind === 'intersection')
      for (const operand of expression.operands) visitExpression(type, operand)
    if (expression.kind === 'exclusion') {
      visitExpression(type, expression.base)
      visitExpression(type, expression.subtracted)
    }
    if (expression.kind !== 'arrow') return
    const left = `${type}#${expression.left}`
    result.relations.add(left)
    result.arrows.add(left)
    for (const allowed of definitions.get(type)?.relations.get(expression.left)?.allowed ?? [])
      visitName(allowed.type, expression.right)
  }

  visitName(type, name)
  return result
}
