import { expect, test } from 'vitest'
import { type Decision, extractDecision, findExclusion } from './decision.ts'
import type { Trace } from './trace.ts'

type Permissionship = Trace['permissionship']
const [yes, no, conditional] = ['hasPermission', 'noPermission', 'conditional'] as const

const node = (step: Trace['step'], permissionship: Permissionship, ...children: Trace[]): Trace => ({
  resource: { type: 'document', id: 'a' },
  subject: { type: 'user', id: 'ada' },
  step,
  permissionship,
  missing: [],
  duration: 1,
  children,
})
const relation = (name: string, permissionship: Permissionship, ...children: Trace[]) =>
  node({ kind: 'relation', name }, permissionship, ...children)

/** The names along the path, branches in brackets. */
const printDecision = ({ trace: { step }, branches }: Decision<Trace>): string => {
  const own = 'name' in step ? step.name : step.kind
  return branches.length > 0 ? `${own}(${branches.map(printDecision).join(' ')})` : own
}

test.for([
  ['of a union contains the first granting branch', 'union', yes, [no, yes, yes], 'union(b)'],
  [
    'of a conditional union contains all conditional branches',
    'union',
    conditional,
    [no, conditional, conditional],
    'union(b c)',
  ],
  ['of a denying union contains no branch', 'union', no, [no, no], 'union'],
  ['of an intersection contains all branches', 'intersection', yes, [yes, yes], 'intersection(a b)'],
  ['of a denying intersection contains the first denying branch', 'intersection', no, [yes, no, no], 'intersection(b)'],
  ['of an exclusion contains both operands', 'exclusion', yes, [yes, no], 'exclusion(a b)'],
  [
    'of a denying exclusion contains the base and the subtracted operand',
    'exclusion',
    no,
    [yes, yes],
    'exclusion(a b)',
  ],
  ['of an exclusion with a denying base contains only the base', 'exclusion', no, [no, no], 'exclusion(a)'],
] as const)('the decision %s', ([, kind, permissionship, children, expected]) => {
  const names = ['a', 'b', 'c']
  const trace = node({ kind }, permissionship, ...children.map((child, at) => relation(names[at] ?? '', child)))
  expect(printDecision(extractDecision(trace))).toBe(expected)
})

test('an all-arrow is decided by every object, or by the first denying one', () => {
  const all = { kind: 'arrow', left: 'folder', right: 'view', of: 'all' } as const
  expect(printDecision(extractDecision(node(all, yes, relation('a', yes), relation('b', yes))))).toBe('arrow(a b)')
  expect(printDecision(extractDecision(node(all, no, relation('a', yes), relation('b', no))))).toBe('arrow(b)')
})

test('findExclusion returns the chains that would grant and those that deny, and nothing for other denials', () => {
  const row = (name: string, permissionship: Permissionship = yes) => {
    const [resource, subject] = [
      { type: 'document', id: 'a' },
      { type: 'user', id: 'ada' },
    ]
    return node({ kind: 'relationship', relationship: { resource, relation: name, subject } }, permissionship)
  }
  const excluded = node({ kind: 'exclusion' }, no, row('viewer'), row('banned'))
  const permission = node({ kind: 'permission', name: 'view' }, no, excluded)
  const namesOf = (chains: { relation: string }[][] = []) =>
    chains.map((chain) => chain.map(({ relation }) => relation))
  const found = findExclusion(permission)
  expect([namesOf(found?.granted), namesOf(found?.excluded)]).toEqual([[['viewer']], [['banned']]])
  expect(findExclusion(node({ kind: 'exclusion' }, no, row('viewer', no), row('banned', no)))).toBeUndefined()
})
