import type { Trace } from './trace.ts'

/**
 * Returns the usersets in the first cycle of a trace, such as `group:one#member`, in order. Returns an empty array if
 * there is no cycle, or if the trace omits that part.
 */
export function findTraceCycle(trace: Trace): string[] {
  const path: Trace[] = []
  const visit = (node: Trace): string[] => {
    const { step } = node
    if (node.isCycle) return cycleFrom(node, path)
    if ('name' in step) path.push(node)
    for (const child of node.children) {
      const cycle = visit(child)
      if (cycle.length > 0) return cycle
    }
    if ('name' in step) path.pop()
    return []
  }
  return visit(trace)
}

function cycleFrom(closing: Trace, path: readonly Trace[]): string[] {
  const sameUserset = path.findLastIndex((node) => usersetOf(node) === usersetOf(closing))
  // A permission that is an alias of another counts as that other.
  const start = sameUserset >= 0 ? sameUserset : path.findLastIndex((node) => objectOf(node) === objectOf(closing))
  return start < 0 ? [] : path.slice(start).map(usersetOf)
}

const objectOf = ({ resource: { type, id } }: Trace) => `${type}:${id}`
const usersetOf = (node: Trace) => ('name' in node.step ? `${objectOf(node)}#${node.step.name}` : objectOf(node))
