import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { check } from './check.ts'
import { compileSchema } from './compile.ts'
import { chainsOf } from './granting-chains.ts'
import { MemoryGraph } from './memory-graph.ts'
import type { Relationship } from './relationship.ts'
import { parseRow, row } from './test-rows.ts'
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
const sets = ['group:g#member', 'group:h#member', 'folder:f#viewer', 'folder:f#banned', 'folder:e#viewer']
const ofDocument = ['document:d#viewer', 'document:d#signed', 'document:d#banned']
const line = fc.oneof(
  fc
    .tuple(fc.constantFrom(...sets, ...ofDocument), fc.constantFrom(...subjects))
    .map((both) => both.join('@'))
    // Circles are no answer.
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

const object = ({ type, id }: Relationship['subject']) => `${type}:${id}`

test('of any graph the chains lead from the subject to the resource, over stored relationships and nobody else', () => {
  let told = 0
  fc.assert(
    fc.property(
      fc.uniqueArray(line, { maxLength: 14, selector: (text) => text.replace('[on]', '') }),
      fc.constantFrom('view', 'both', 'every'),
      (lines, permission) => {
        const graph = new MemoryGraph()
        for (const text of lines) graph.add(parseRow(text))
        const question = { resource: { type: 'document', id: 'd' }, permission, subject: { type: 'user', id: 'a' } }
        const { trace, permissionship } = check(schema, graph, question, { now: 0, withTrace: true })
        if (!trace) throw new Error('There is no trace')
        const chains = chainsOf(trace)
        expect(chains.length > 0).toBe(permissionship !== 'noPermission')
        for (const chain of chains) {
          told++
          expect(lines.map((text) => text.replace('[on]', ''))).toEqual(expect.arrayContaining(chain.map(row)))
          expect(['user:a', 'user:*', 'group:g', 'group:h']).toContain(object(chain[0]?.subject as never))
          expect(object(chain.at(-1)?.resource as never)).toBe('document:d')
          for (const [at, step] of chain.slice(1).entries())
            expect(object(step.subject)).toBe(object((chain[at] as Relationship).resource))
          expect(JSON.stringify(chain)).not.toMatch(/"banned"|"id":"b"/)
        }
      },
    ),
    { numRuns: numRuns * 10 },
  )
  expect(told).toBeGreaterThan(numRuns / 10)
})

describe('a path', () => {
  const at = (
    text: string,
    step: Trace['step'],
    children: Trace[] = [],
    permissionship: Trace['permissionship'] = 'hasPermission',
  ): Trace => {
    const [type = '', id = ''] = text.split(':')
    const subject = { type: 'user', id: 'bo' }
    return { resource: { type, id }, subject, step, permissionship, missing: [], duration: 1, children }
  }
  const stored = (text: string, children: Trace[] = [], is: Trace['permissionship'] = 'hasPermission') => {
    const relationship = parseRow(text)
    return at(
      `${relationship.resource.type}:${relationship.resource.id}`,
      { kind: 'relationship', relationship },
      children,
      is,
    )
  }
  const told = (trace: Trace) => chainsOf(trace).map((chain) => chain.map(row))

  test('leads from the subject over sets to the resource', () => {
    const member = at('group:staff', { kind: 'relation', name: 'member' }, [stored('group:staff#member@user:bo')])
    const trace = at('document:plan', { kind: 'permission', name: 'view' }, [
      at('document:plan', { kind: 'union' }, [
        at('document:plan', { kind: 'relation', name: 'owner' }, [], 'noPermission'),
        at('document:plan', { kind: 'relation', name: 'viewer' }, [
          stored('document:plan#viewer@group:staff#member', [member]),
        ]),
      ]),
    ])
    expect(told(trace)).toEqual([['group:staff#member@user:bo', 'document:plan#viewer@group:staff#member']])
  })

  test('is more than one where several things must hold, and none for what was taken away from', () => {
    const both = at('document:plan', { kind: 'intersection' }, [
      stored('document:plan#editor@user:bo'),
      stored('document:plan#reviewer@user:bo'),
    ])
    const banned = at('document:plan', { kind: 'relation', name: 'banned' }, [], 'noPermission')
    expect(told(at('document:plan', { kind: 'exclusion' }, [both, banned]))).toEqual([
      ['document:plan#editor@user:bo'],
      ['document:plan#reviewer@user:bo'],
    ])
    expect(told(at('document:plan', { kind: 'self' }))).toEqual([])
  })
})
