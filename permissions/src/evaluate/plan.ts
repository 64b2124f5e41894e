import type { Names } from '../graph/graph.ts'
import type { CompiledDefinition, Expression, Relation, Schema } from '../schema/schema.ts'

/** A userset rewrite: an expression of a permission, or a part of it, bound to the numbers of a graph. */
export type Rewrite =
  | { kind: 'union' | 'intersection'; operands: Rewrite[] }
  | { kind: 'exclusion'; base: Rewrite; subtracted: Rewrite }
  /** A relation or permission of the same object. */
  | { kind: 'computedUserset'; node: PlanNode }
  /** An arrow. `rights` has the node of the right side by the number of the left object's type, if that type has it. */
  | {
      kind: 'tupleToUserset'
      left: number
      rights: (PlanNode | undefined)[]
      of: 'any' | 'all'
      names: { left: string; right: string }
    }
  | { kind: 'nil' | 'self' }

/** A relation or a permission of a type. */
export interface PlanNode {
  /** The index in `Plan.nodes`. */
  index: number
  type: number
  relation: number
  typeName: string
  name: string
  /** The expression of a permission; undefined for a relation. */
  rewrite: Rewrite | undefined
  /** The target of a permission that is an alias, such as `permission view = viewer`. */
  alias: PlanNode | undefined
  /** The allowed subjects of a relation; empty for a permission. */
  allowed: Relation['allowed']
  /** Whether a type's wildcard is allowed, by the number of the type. */
  allowsWildcard: boolean[]
  /** Whether this is a relation that allows no usersets. */
  isLeaf: boolean
  /** The permissions that this node contributes to. */
  contributions: Contribution[]
  /** Whether the evaluation of the node can reach the node again, on any object. */
  isRecursive: boolean
}

/**
 * A permission that a node contributes to: of the same object, or of the objects with a relationship to it in `left`.
 */
export interface Contribution {
  node: PlanNode
  /** The left relation of an arrow; undefined for the same object. */
  left: number | undefined
  /** The relations of the object that are allowed as subjects of `left`; 0 is the object itself. */
  leftSubjects: number[]
  /**
   * Whether the node suffices for the permission. Under `&`, before `-` and with `.all`, the permission must be
   * checked.
   */
  isProven: boolean
}

/** A schema bound to the numbers of a graph. */
export class Plan {
  readonly schema: Schema
  readonly names: Names
  readonly nodes: PlanNode[] = []
  readonly #byType: PlanNode[][] = []
  /** Permissions that contain `self`. */
  readonly selfNodes: PlanNode[] = []

  constructor(schema: Schema, names: Names) {
    this.schema = schema
    this.names = names
    for (const definition of schema.definitions.values()) this.#declare(definition)
    for (const definition of schema.definitions.values()) this.#compileExpressions(definition)
    for (const node of this.nodes) recordContributions(this, node)
    markRecursive(this)
  }

  getNode(type: number, relation: number): PlanNode | undefined {
    return this.#byType[type]?.[relation]
  }

  findNode(type: string, name: string): PlanNode | undefined {
    return this.getNode(this.names.find(type), this.names.find(name))
  }

  #declare({ name: typeName, relations, permissions }: CompiledDefinition): void {
    const type = this.names.intern(typeName)
    const nodesOfType: PlanNode[] = []
    this.#byType[type] = nodesOfType
    for (const { name, ...rest } of [...relations.values(), ...permissions.values()]) {
      const relation = this.names.intern(name)
      const allowed = 'allowed' in rest ? rest.allowed : []
      const node: PlanNode = {
        index: this.nodes.length,
        type,
        relation,
        typeName,
        name,
        rewrite: undefined,
        alias: undefined,
        allowed,
        allowsWildcard: [],
        isLeaf: 'allowed' in rest && allowed.every((subject) => subject.relation === undefined),
        contributions: [],
        isRecursive: false,
      }
      for (const subject of allowed) {
        if (subject.isWildcard) node.allowsWildcard[this.names.intern(subject.type)] = true
      }
      this.nodes.push(node)
      nodesOfType[relation] = node
    }
  }

  #compileExpressions({ name: typeName, permissions }: CompiledDefinition): void {
    for (const { name, expression } of permissions.values()) {
      const node = this.findNode(typeName, name)
      if (!node) continue
      node.rewrite = this.#compileRewrite(expression, node)
      if (node.rewrite.kind === 'computedUserset') node.alias = node.rewrite.node
    }
  }

  #compileRewrite(expression: Expression, node: PlanNode): Rewrite {
    switch (expression.kind) {
      case 'union':
      case 'intersection':
        return {
          kind: expression.kind,
          operands: expression.operands.map((operand) => this.#compileRewrite(operand, node)),
        }
      case 'exclusion':
        return {
          kind: 'exclusion',
          base: this.#compileRewrite(expression.base, node),
          subtracted: this.#compileRewrite(expression.subtracted, node),
        }
      case 'reference': {
        const target = this.getNode(node.type, this.names.find(expression.name))
        return target ? { kind: 'computedUserset', node: target } : { kind: 'nil' }
      }
      case 'arrow': {
        const rights: (PlanNode | undefined)[] = []
        const { left, right } = expression
        for (const { type } of this.findNode(node.typeName, left)?.allowed ?? []) {
          rights[this.names.find(type)] = this.findNode(type, right)
        }
        return {
          kind: 'tupleToUserset',
          left: this.names.find(left),
          rights,
          of: expression.of,
          names: { left, right },
        }
      }
      default:
        return { kind: expression.kind }
    }
  }
}

const plans = new WeakMap<Schema, WeakMap<Names, Plan>>()

/** Returns the plan of a schema for graphs with these names. Plans are cached. */
export function getPlan(schema: Schema, names: Names): Plan {
  let plansByNames = plans.get(schema)
  if (!plansByNames) {
    plansByNames = new WeakMap()
    plans.set(schema, plansByNames)
  }
  let plan = plansByNames.get(names)
  if (!plan) {
    plan = new Plan(schema, names)
    plansByNames.set(names, plan)
  }
  return plan
}

/** Records the permission in the nodes that contribute to it. Subtracted nodes do not. */
function recordContributions(plan: Plan, node: PlanNode): void {
  const visit = (rewrite: Rewrite, isProven: boolean): void => {
    if (rewrite.kind === 'union') for (const operand of rewrite.operands) visit(operand, isProven)
    else if (rewrite.kind === 'intersection') for (const operand of rewrite.operands) visit(operand, false)
    else if (rewrite.kind === 'exclusion') visit(rewrite.base, false)
    else if (rewrite.kind === 'computedUserset')
      rewrite.node.contributions.push({ node, left: undefined, leftSubjects: [], isProven })
    else if (rewrite.kind === 'self') plan.selfNodes.push(node)
    else if (rewrite.kind === 'tupleToUserset') {
      for (const right of new Set(rewrite.rights)) {
        const leftSubjects = listSubjectRelations(plan, node, rewrite.left, right?.type)
        right?.contributions.push({
          node,
          left: rewrite.left,
          leftSubjects,
          isProven: isProven && rewrite.of === 'any',
        })
      }
    }
  }
  if (node.rewrite) visit(node.rewrite, true)
}

function listSubjectRelations(plan: Plan, node: PlanNode, left: number, type: number | undefined): number[] {
  const allowed = plan.getNode(node.type, left)?.allowed ?? []
  const subjectsOfType = allowed.filter((subject) => plan.names.find(subject.type) === type)
  return [...new Set(subjectsOfType.map(({ relation = '' }) => plan.names.intern(relation)))]
}

/** Returns the nodes that a node dispatches to directly; those of an arrow with its left relation. */
export function listDispatchTargets(plan: Plan, { rewrite, allowed }: PlanNode): { node: PlanNode; left?: number }[] {
  const targetsOf = (part: Rewrite): { node: PlanNode; left?: number }[] => {
    if ('operands' in part) return part.operands.flatMap(targetsOf)
    if (part.kind === 'exclusion') return [...targetsOf(part.base), ...targetsOf(part.subtracted)]
    if (part.kind === 'computedUserset') return [{ node: part.node }]
    if (part.kind !== 'tupleToUserset') return []
    return [...new Set(part.rights)].flatMap((node) => (node ? [{ node, left: part.left }] : []))
  }
  const usersets = allowed.map(({ type, relation }) => (relation ? plan.findNode(type, relation) : undefined))
  return [...usersets.flatMap((node) => (node ? [{ node }] : [])), ...(rewrite ? targetsOf(rewrite) : [])]
}

function markRecursive(plan: Plan): void {
  for (const node of plan.nodes) {
    const reached = new Set<PlanNode>()
    const pending = [node]
    for (let next = pending.pop(); next; next = pending.pop()) {
      for (const { node: target } of listDispatchTargets(plan, next)) {
        if (reached.has(target)) continue
        reached.add(target)
        pending.push(target)
      }
    }
    node.isRecursive = reached.has(node)
  }
}
