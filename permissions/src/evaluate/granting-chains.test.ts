import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import type { Relationship } from '../graph/relationship.ts'
import { parseRow, printRow } from '../test-rows.ts'
import { check } from './check.ts'
import { findGrantingChains } from './decision.ts'
import type { Trace } from './trace.ts'

const { numRuns = 100 } = fc.readConfigureGlobal()

const schema = compileSchema(`caveat on(on bool) {
  on
}

definition user {}

definition group {
  relation member: user | group#member
}

definition folder {
  relation viewer: user | user with on | group#member
  relation banned: user | group#member
  permission view = viewer - banned
}

definition document {
  relation folder: folder
  relation viewer: user | user:* | group#member
  relation signed: user | group#member | group#member with on
  relation banned: user | user with on | group#member
  permission view = viewer + folder->view - banned
  permission both = (viewer & signed) - banned
  permission every = folder.all(view) + signed
}
`)

const subjects = ['user:a', 'user:b', 'group:g#member', 'group:h#member']
const usersets = ['group:g#member', 'group:h#member', 'folder:f#viewer', 'folder:f#banned', 'folder:e#viewer']
const documentUsersets = ['document:d#viewer', 'document:d#signed', 'document:d#banned']
const rowArbitrary = fc.oneof(
  fc
    .tuple(fc.constantFrom(...usersets, ...documentUsersets), fc.constantFrom(...subjects))
    .map((pair) => pair.join('@'))
    // Cycles are errors.
    .filter((text) => !/^group:(?:h#member@group:|g#member@group:g)/.test(text)),
  fc.constantFrom(
    'document:d#viewer@user:*',
    'document:d#folder@folder:f',
    'document:d#folder@folder:e',
    'folder:f#viewer@user:a[on]',
    'document:d#banned@user:a[on]',
    'document:d#signed@group:g#member[on]',
  ),
)

const printObject = ({ type, id }: Relationship['subject']) => `${type}:${id}`

test('chains lead from the subject to the resource over stored granting relationships only', () => {
  let chainCount = 0
  fc.assert(
    fc.property(
      fc.uniqueArray(rowArbitrary, { maxLength: 14, selector: (text) => text.replace('[on]', '') }),
      fc.constantFrom('view', 'both', 'every'),
      (lines, permission) => {
        const graph = new MemoryGraph()
        for (const text of lines) graph.add(parseRow(text))
        const request = { resource: { type: 'document', id: 'd' }, permission, subject: { type: 'user', id: 'a' } }
        const { trace, permissionship } = check(schema, graph, request, { now: 0, withTrace: true })
        if (!trace) throw new Error('The trace is missing')
        const chains = findGrantingChains(trace)
        expect(chains.length > 0).toBe(permissionship !== 'noPermission')
        for (const chain of chains) {
          chainCount++
          expect(lines.map((text) => text.replace('[on]', ''))).toEqual(expect.arrayContaining(chain.map(printRow)))
          expect(['user:a', 'user:*', 'group:g', 'group:h']).toContain(printObject(chain[0]?.subject as never))
          expect(printObject(chain.at(-1)?.resource as never)).toBe('document:d')
          for (const [at, step] of chain.slice(1).entries())
            expect(printObject(step.subject)).toBe(printObject((chain[at] as Relationship).resource))
          expect(JSON.stringify(chain)).not.toMatch(/"banned"|"id":"b"/)
        }
      },
    ),
    { numRuns: numRuns * 10 },
  )
  expect(chainCount).toBeGreaterThan(numRuns / 10)
})

describe('a chain', () => {
  const createNode = (
    text: string,
    step: Trace['step'],
    children: Trace[] = [],
    permissionship: Trace['permissionship'] = 'hasPermission',
  ): Trace => {
    const [type = '', id = ''] = text.split(':')
    const subject = { type: 'user', id: 'bo' }
    return { resource: { type, id }, subject, step, permissionship, missing: [], duration: 1, children }
  }
  const createRelationshipNode = (
    text: string,
    children: Trace[] = [],
    permissionship: Trace['permissionship'] = 'hasPermission',
  ) => {
    const relationship = parseRow(text)
    return createNode(
      `${relationship.resource.type}:${relationship.resource.id}`,
      { kind: 'relationship', relationship },
      children,
      permissionship,
    )
  }
  const printChains = (trace: Trace) => findGrantingChains(trace).map((chain) => chain.map(printRow))

  test('leads from the subject over usersets to the resource', () => {
    const member = createNode('group:staff', { kind: 'relation', name: 'member' }, [
      createRelationshipNode('group:staff#member@user:bo'),
    ])
    const trace = createNode('document:plan', { kind: 'permission', name: 'view' }, [
      createNode('document:plan', { kind: 'union' }, [
        createNode('document:plan', { kind: 'relation', name: 'owner' }, [], 'noPermission'),
        createNode('document:plan', { kind: 'relation', name: 'viewer' }, [
          createRelationshipNode('document:plan#viewer@group:staff#member', [member]),
        ]),
      ]),
    ])
    expect(printChains(trace)).toEqual([['group:staff#member@user:bo', 'document:plan#viewer@group:staff#member']])
  })

  test('is one of several for an intersection, and omits subtracted operands', () => {
    const both = createNode('document:plan', { kind: 'intersection' }, [
      createRelationshipNode('document:plan#editor@user:bo'),
      createRelationshipNode('document:plan#reviewer@user:bo'),
    ])
    const banned = createNode('document:plan', { kind: 'relation', name: 'banned' }, [], 'noPermission')
    expect(printChains(createNode('document:plan', { kind: 'exclusion' }, [both, banned]))).toEqual([
      ['document:plan#editor@user:bo'],
      ['document:plan#reviewer@user:bo'],
    ])
    expect(printChains(createNode('document:plan', { kind: 'self' }))).toEqual([])
  })
})
