import { joined, negated } from './caveat-residual.ts'
import type { Trace } from './trace.ts'

const longest = 4000

/**
 * What is left to be found out for a conditional answer, as one CEL expression over the names that are missing, read off
 * its trace. Undefined where a caveat did not tell what is left of it, or where it would have more than 4000 characters.
 */
export function residualOfTrace(trace: Trace): string | undefined {
  const firsts = new Map<string, Trace>()
  const visit = (node: Trace): void => {
    const key = keyOf(node)
    if (key !== undefined && !node.isRepeated && !firsts.has(key)) firsts.set(key, node)
    for (const child of node.children) visit(child)
  }
  visit(trace)
  const told = new Map<Trace, string | undefined>()
  const of = (node: Trace): string | undefined => {
    const key = keyOf(node)
    const first = (node.isRepeated && key !== undefined && firsts.get(key)) || node
    if (!told.has(first)) {
      const text = combined(first, of)
      told.set(first, text !== undefined && text.length > longest ? undefined : text)
    }
    return told.get(first)
  }
  return of(trace)
}

/** Of what may be asked again on another way. */
function keyOf({ resource, step }: Trace): string | undefined {
  return 'name' in step ? `${resource.type}:${resource.id}#${step.name}` : undefined
}

function combined(
  { step, children, caveat, isCut }: Trace,
  of: (node: Trace) => string | undefined,
): string | undefined {
  if (isCut) return undefined
  if (step.kind === 'exclusion') {
    const [base, subtracted] = children.map((child) => (isConditional(child) ? of(child) : ''))
    if (base === undefined) return undefined
    if (children.length < 2 || !isConditional(children[1])) return base
    if (subtracted === undefined) return undefined
    return joined([base, negated(subtracted)].filter(Boolean), '&&')
  }
  const own = caveat?.result === 'missing' ? [caveat.residual] : []
  const below = children.filter(isConditional).map(of)
  // Relationships have no order of their own.
  const parts = [...own, ...(step.kind === 'relation' || step.kind === 'arrow' ? below.sort() : below)]
  if (parts.length === 0 || parts.includes(undefined)) return undefined
  const isAll =
    step.kind === 'intersection' || step.kind === 'relationship' || (step.kind === 'arrow' && step.of === 'all')
  return joined(parts as string[], isAll ? '&&' : '||')
}

const isConditional = (node: Trace | undefined): node is Trace => node?.permissionship === 'conditional'
