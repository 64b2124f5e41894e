import type { Trace } from '@passport/contract/permission-terms'
import { expect, test } from 'vitest'
import { formatDuration, measureDepth } from './Trace.tsx'

type Permissionship = Trace['permissionship']
const allowed = 'hasPermission'

const node = (step: Trace['step'], permissionship: Permissionship, ...children: Trace[]): Trace => ({
  resource: { type: 'document', id: 'a' },
  subject: { type: 'user', id: 'ada' },
  step,
  permissionship,
  partialCaveatMissing: [],
  duration: 1,
  children,
})
const relation = (name: string, permissionship: Permissionship, ...children: Trace[]) =>
  node({ kind: 'relation', name }, permissionship, ...children)

test('the depth of a trace counts permissions and relations, not operators', () => {
  const trace = node(
    { kind: 'permission', name: 'view' },
    allowed,
    node({ kind: 'union' }, allowed, relation('a', allowed)),
  )
  expect(measureDepth(trace)).toBe(2)
})

test.for([
  [0, '0 µs'],
  [38.4, '38 µs'],
  [420, '0.42 ms'],
  [9_999, '10.00 ms'],
  [12_600, '13 ms'],
  [1_240_000, '1.2 s'],
] as const)('%d microseconds are formatted as %s', ([duration, text]) => expect(formatDuration(duration)).toBe(text))
