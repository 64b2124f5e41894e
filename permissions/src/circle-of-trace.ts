import type { Trace } from './trace.ts'

/**
 * The sets by which a question came up on the way to itself, from the first that did round to it, such as
 * `group:one#member`. Empty where nothing did, or where that part of the trace is left out.
 */
export function circleOfTrace(trace: Trace): string[] {
  const way: Trace[] = []
  const visit = (node: Trace): string[] => {
    const { step } = node
    if (node.isCycle) return wayFrom(node, way)
    if ('name' in step) way.push(node)
    for (const child of node.children) {
      const circle = visit(child)
      if (circle.length > 0) return circle
    }
    if ('name' in step) way.pop()
    return []
  }
  return visit(trace)
}

function wayFrom(closing: Trace, way: readonly Trace[]): string[] {
  const same = way.findLastIndex((one) => setOf(one) === setOf(closing))
  // A permission that is nothing but another is that other.
  const start = same >= 0 ? same : way.findLastIndex((one) => objectOf(one) === objectOf(closing))
  return start < 0 ? [] : way.slice(start).map(setOf)
}

const objectOf = ({ resource: { type, id } }: Trace) => `${type}:${id}`
const setOf = (node: Trace) => ('name' in node.step ? `${objectOf(node)}#${node.step.name}` : objectOf(node))
