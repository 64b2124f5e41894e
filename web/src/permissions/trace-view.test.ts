import type { Trace } from '@passport/contract/permission-terms'
import { expect, test } from 'vitest'
import { depthOf, durationText } from './trace-view.ts'

type Said = Trace['permissionship']
const yes = 'hasPermission'

const node = (step: Trace['step'], permissionship: Said, ...children: Trace[]): Trace => ({
  resource: { type: 'document', id: 'a' },
  subject: { type: 'user', id: 'ada' },
  step,
  permissionship,
  partialCaveatMissing: [],
  duration: 1,
  children,
})
const relation = (name: string, said: Said, ...children: Trace[]) => node({ kind: 'relation', name }, said, ...children)

test('the depth is that of the permissions and relations, and not of operators', () => {
  const trace = node({ kind: 'permission', name: 'view' }, yes, node({ kind: 'union' }, yes, relation('a', yes)))
  expect(depthOf(trace)).toBe(2)
})

test.for([
  [0, '0 µs'],
  [38.4, '38 µs'],
  [420, '0.42 ms'],
  [9_999, '10.00 ms'],
  [12_600, '13 ms'],
  [1_240_000, '1.2 s'],
] as const)('%d microseconds are %s', ([duration, text]) => expect(durationText(duration)).toBe(text))
