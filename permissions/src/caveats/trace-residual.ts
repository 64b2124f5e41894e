import { collectFirstTraces, type Trace, usersetOf } from '../evaluate/trace.ts'
import { joinExpressions, negate } from './caveat-residual.ts'

const maxLength = 4000

/**
 * Computes the residual of a conditional result from its trace, as one CEL expression over the missing names. Returns
 * undefined if a caveat has no residual, or if the result would exceed 4000 characters.
 */
export function computeTraceResidual(trace: Trace): string | undefined {
  const firstTraces = collectFirstTraces(trace)
  const residuals = new Map<Trace, string | undefined>()
  const visitOnce = (node: Trace): string | undefined => {
    const first = (node.isRepeated && firstTraces.get(usersetOf(node))) || node
    if (!residuals.has(first)) {
      const text = combineResiduals(first, visitOnce)
      residuals.set(first, text !== undefined && text.length > maxLength ? undefined : text)
    }
    return residuals.get(first)
  }
  return visitOnce(trace)
}

function combineResiduals(
  { step, children, caveat, isCut }: Trace,
  residualOf: (node: Trace) => string | undefined,
): string | undefined {
  if (isCut) return undefined
  if (step.kind === 'exclusion') {
    const [base, subtracted] = children.map((child) => (isConditional(child) ? residualOf(child) : ''))
    if (base === undefined) return undefined
    if (children.length < 2 || !isConditional(children[1])) return base
    if (subtracted === undefined) return undefined
    return joinExpressions([base, negate(subtracted)].filter(Boolean), '&&')
  }
  const own = caveat?.result === 'missing' ? [caveat.residual] : []
  const childResiduals = children.filter(isConditional).map(residualOf)
  // Relationships have no inherent order.
  const parts = [
    ...own,
    ...(step.kind === 'relation' || step.kind === 'arrow' ? childResiduals.sort() : childResiduals),
  ]
  if (parts.length === 0 || parts.includes(undefined)) return undefined
  const isAll =
    step.kind === 'intersection' || step.kind === 'relationship' || (step.kind === 'arrow' && step.of === 'all')
  return joinExpressions(parts as string[], isAll ? '&&' : '||')
}

const isConditional = (node: Trace | undefined): node is Trace => node?.permissionship === 'conditional'
