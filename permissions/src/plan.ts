import type { Names } from './name-numbers.ts'
import type { CompiledDefinition, Expression, Relation, Schema } from './schema.ts'

/** A part of an expression, over numbers. */
export type Step =
  | { kind: 'union' | 'intersection'; operands: Step[] }
  | { kind: 'exclusion'; base: Step; subtracted: Step }
  | { kind: 'reference'; node: PlanNode }
  /** `rights` by the number of the type that is on the left; a type without one contributes nothing. */
  | {
      kind: 'arrow'
      left: number
      rights: (PlanNode | undefined)[]
      of: 'any' | 'all'
      names: { left: string; right: string }
    }
  | { kind: 'nil' | 'self' }

/** A relation or a permission of a type. */
export interface PlanNode {
  /** Among all of the plan. */
  index: number
  type: number
  relation: number
  typeName: string
  name: string
  /** Of a permission. */
  step: Step | undefined
  /** Where the permission is another word for it. */
  alias: PlanNode | undefined
  /** Of a relation: what may stand in it. */
  allowed: Relation['allowed']
  /** By the number of a type: whether all of that type may stand in it. */
  allowsWildcard: boolean[]
  /** A relation that no set may stand in. */
  isLeaf: boolean
  /** What an object gains by standing in this node of another, filled from the permissions. */
  gains: Gain[]
  /** Whether it can be asked on the way to itself, of another object. */
  isRecursive: boolean
}

/**
 * That who has the node of an object may have another: a permission of the same object, or one of the objects that hold
 * this one in `left`. Where that is not sure (under `&`, before `-`, with `.all`) it has to be checked.
 */
export interface Gain {
  node: PlanNode
  left: number | undefined
  /** With which relations the object may stand in `left`; 0 for none. */
  leftSubjects: number[]
  isSure: boolean
}

/** A schema bound to the numbers of a graph. */
export class Plan {
  readonly schema: Schema
  readonly names: Names
  readonly nodes: PlanNode[] = []
  readonly #byType: PlanNode[][] = []
  /** Permissions with `self` in them. */
  readonly selves: PlanNode[] = []

  constructor(schema: Schema, names: Names) {
    this.schema = schema
    this.names = names
    for (const definition of schema.definitions.values()) this.#declare(definition)
    for (const definition of schema.definitions.values()) this.#fill(definition)
    for (const node of this.nodes) findGains(this, node)
    markRecursive(this)
  }

  node(type: number, relation: number): PlanNode | undefined {
    return this.#byType[type]?.[relation]
  }

  nodeOf(type: string, name: string): PlanNode | undefined {
    return this.node(this.names.find(type), this.names.find(name))
  }

  #declare({ name: typeName, relations, permissions }: CompiledDefinition): void {
    const type = this.names.numberOf(typeName)
    const ofType: PlanNode[] = []
    this.#byType[type] = ofType
    for (const { name, ...rest } of [...relations.values(), ...permissions.values()]) {
      const relation = this.names.numberOf(name)
      const allowed = 'allowed' in rest ? rest.allowed : []
      const node: PlanNode = {
        index: this.nodes.length,
        type,
        relation,
        typeName,
        name,
        step: undefined,
        alias: undefined,
        allowed,
        allowsWildcard: [],
        isLeaf: 'allowed' in rest && allowed.every((subject) => subject.relation === undefined),
        gains: [],
        isRecursive: false,
      }
      for (const subject of allowed) {
        if (subject.isWildcard) node.allowsWildcard[this.names.numberOf(subject.type)] = true
      }
      this.nodes.push(node)
      ofType[relation] = node
    }
  }

  #fill({ name: typeName, permissions }: CompiledDefinition): void {
    for (const { name, expression } of permissions.values()) {
      const node = this.nodeOf(typeName, name)
      if (!node) continue
      node.step = this.#step(expression, node)
      if (node.step.kind === 'reference') node.alias = node.step.node
    }
  }

  #step(expression: Expression, node: PlanNode): Step {
    switch (expression.kind) {
      case 'union':
      case 'intersection':
        return { kind: expression.kind, operands: expression.operands.map((operand) => this.#step(operand, node)) }
      case 'exclusion':
        return {
          kind: 'exclusion',
          base: this.#step(expression.base, node),
          subtracted: this.#step(expression.subtracted, node),
        }
      case 'reference': {
        const referred = this.node(node.type, this.names.find(expression.name))
        return referred ? { kind: 'reference', node: referred } : { kind: 'nil' }
      }
      case 'arrow': {
        const rights: (PlanNode | undefined)[] = []
        const { left, right } = expression
        for (const { type } of this.nodeOf(node.typeName, left)?.allowed ?? []) {
          rights[this.names.find(type)] = this.nodeOf(type, right)
        }
        return { kind: 'arrow', left: this.names.find(left), rights, of: expression.of, names: { left, right } }
      }
      default:
        return { kind: expression.kind }
    }
  }
}

const plans = new WeakMap<Schema, WeakMap<Names, Plan>>()

/** The plan of a schema for graphs with these names; made once. */
export function planOf(schema: Schema, names: Names): Plan {
  let bound = plans.get(schema)
  if (!bound) {
    bound = new WeakMap()
    plans.set(schema, bound)
  }
  let plan = bound.get(names)
  if (!plan) {
    plan = new Plan(schema, names)
    bound.set(names, plan)
  }
  return plan
}

/** Writes into the nodes that a permission is made of that they may give it. What is subtracted gives nothing. */
function findGains(plan: Plan, node: PlanNode): void {
  const visit = (step: Step, isSure: boolean): void => {
    if (step.kind === 'union') for (const operand of step.operands) visit(operand, isSure)
    else if (step.kind === 'intersection') for (const operand of step.operands) visit(operand, false)
    else if (step.kind === 'exclusion') visit(step.base, false)
    else if (step.kind === 'reference') step.node.gains.push({ node, left: undefined, leftSubjects: [], isSure })
    else if (step.kind === 'self') plan.selves.push(node)
    else if (step.kind === 'arrow') {
      for (const right of new Set(step.rights)) {
        const leftSubjects = subjectRelations(plan, node, step.left, right?.type)
        right?.gains.push({ node, left: step.left, leftSubjects, isSure: isSure && step.of === 'any' })
      }
    }
  }
  if (node.step) visit(node.step, true)
}

function subjectRelations(plan: Plan, node: PlanNode, left: number, type: number | undefined): number[] {
  const allowed = plan.node(node.type, left)?.allowed ?? []
  const ofType = allowed.filter((subject) => plan.names.find(subject.type) === type)
  return [...new Set(ofType.map(({ relation = '' }) => plan.names.numberOf(relation)))]
}

/** What a node asks directly, with the relation that it goes through from an arrow. */
export function asked(plan: Plan, { step, allowed }: PlanNode): { node: PlanNode; left?: number }[] {
  const inStep = (part: Step): { node: PlanNode; left?: number }[] => {
    if ('operands' in part) return part.operands.flatMap(inStep)
    if (part.kind === 'exclusion') return [...inStep(part.base), ...inStep(part.subtracted)]
    if (part.kind === 'reference') return [{ node: part.node }]
    if (part.kind !== 'arrow') return []
    return [...new Set(part.rights)].flatMap((node) => (node ? [{ node, left: part.left }] : []))
  }
  const sets = allowed.map(({ type, relation }) => (relation ? plan.nodeOf(type, relation) : undefined))
  return [...sets.flatMap((node) => (node ? [{ node }] : [])), ...(step ? inStep(step) : [])]
}

function markRecursive(plan: Plan): void {
  for (const node of plan.nodes) {
    const reached = new Set<PlanNode>()
    const open = [node]
    for (let next = open.pop(); next; next = open.pop()) {
      for (const { node: further } of asked(plan, next)) {
        if (reached.has(further)) continue
        reached.add(further)
        open.push(further)
      }
    }
    node.isRecursive = reached.has(node)
  }
}
