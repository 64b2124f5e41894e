import { expect, test } from 'vitest'
import { type Decision, decisionOf } from './decision.ts'
import type { Trace } from './trace.ts'

type Said = Trace['permissionship']
const [yes, no, perhaps] = ['hasPermission', 'noPermission', 'conditional'] as const

const node = (step: Trace['step'], permissionship: Said, ...children: Trace[]): Trace => ({
  resource: { type: 'document', id: 'a' },
  subject: { type: 'user', id: 'ada' },
  step,
  permissionship,
  missing: [],
  duration: 1,
  children,
})
const relation = (name: string, said: Said, ...children: Trace[]) => node({ kind: 'relation', name }, said, ...children)

/** The names on the way, branches in brackets. */
const told = ({ trace: { step }, branches }: Decision<Trace>): string => {
  const own = 'name' in step ? step.name : step.kind
  return branches.length > 0 ? `${own}(${branches.map(told).join(' ')})` : own
}

test.for([
  ['of a union the first that says yes', 'union', yes, [no, yes, yes], 'union(b)'],
  ['of a union that depends all that do', 'union', perhaps, [no, perhaps, perhaps], 'union(b c)'],
  ['of a union that says no nothing in particular', 'union', no, [no, no], 'union'],
  ['of an intersection all', 'intersection', yes, [yes, yes], 'intersection(a b)'],
  ['of an intersection that says no the first that does', 'intersection', no, [yes, no, no], 'intersection(b)'],
  ['of an exclusion both sides', 'exclusion', yes, [yes, no], 'exclusion(a b)'],
  ['of an exclusion the ban beside what it took away', 'exclusion', no, [yes, yes], 'exclusion(a b)'],
  ['of an exclusion without a base the base alone', 'exclusion', no, [no, no], 'exclusion(a)'],
] as const)('what decides is, %s', ([, kind, said, children, way]) => {
  const names = ['a', 'b', 'c']
  const trace = node({ kind }, said, ...children.map((child, at) => relation(names[at] ?? '', child)))
  expect(told(decisionOf(trace))).toBe(way)
})

test('an arrow to all of many is decided by each, or by the one that says no', () => {
  const all = { kind: 'arrow', left: 'folder', right: 'view', of: 'all' } as const
  expect(told(decisionOf(node(all, yes, relation('a', yes), relation('b', yes))))).toBe('arrow(a b)')
  expect(told(decisionOf(node(all, no, relation('a', yes), relation('b', no))))).toBe('arrow(b)')
})
