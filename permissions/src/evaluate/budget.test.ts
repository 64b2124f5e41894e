import { describe, expect, test } from 'vitest'
import { compileSchema } from '../compile.ts'
import type { CheckRequest } from '../engine.ts'
import { PermissionError } from '../error.ts'
import { MemoryGraph } from '../graph/memory-graph.ts'
import type { CaveatContext } from '../graph/relationship.ts'
import { lookupResources, lookupSubjects } from '../lookup/lookup.ts'
import { parseRow } from '../test-rows.ts'
import { Budget, maxSteps } from './budget.ts'
import { check } from './check.ts'
import type { Trace } from './trace.ts'

/** Returns the CPU time of this process since then, in ms. Unlike elapsed time, it is stable on a busy machine. */
function measureCpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

const schema = compileSchema(`
caveat nested(a list<int>, b list<int>) { a.all(x, b.all(y, x <= y)) }
caveat mapped(a list<int>) { a.map(x, x).size() >= 0 }
caveat skipped(a list<int>) { a.all(x, a.exists(y, true)) }
caveat equal_lists(a list<int>, b list<int>) { a.all(x, a == b) }
caveat within(a list<int>) { a.all(x, -1 in a || true) }
caveat subtree(a list<int>, b map<any>) { a.all(x, b.isSubtreeOf(b)) }
caveat pattern(text string, regex string) { text.matches(regex) }
caveat contained(a list<int>, text string) { a.all(x, !text.contains(text + "!")) }
caveat numbers(a list<int>) { a.size() > 0 }
caveat office(day string) { day == "fri" }

definition user {}

definition group {
  relation member: user | group#member
}

definition folder {
  relation parent: folder
  relation viewer: user | group#member
  permission view = viewer + parent->view
}

definition document {
  relation folder: folder
  relation viewer: user | user:* | group#member | user with office | user with nested | user with mapped | user with equal_lists | user with pattern | user with subtree | user with contained | user with numbers | user with within | user with skipped
  relation banned: user | group#member
  permission view = viewer + folder->view - banned
  permission both = viewer & folder->view
}
`)

function createGraph(rows: Iterable<string>): MemoryGraph {
  const graph = new MemoryGraph()
  for (const row of rows) graph.add(parseRow(row))
  return graph
}

const now = 0
const view = (id: string, user: string): CheckRequest => ({
  resource: { type: 'document', id },
  permission: 'view',
  subject: { type: 'user', id: user },
})

function outcome(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    if (error instanceof PermissionError) return error.code
    throw error
  }
}

describe('any budget', () => {
  const graph = createGraph([
    'document:plan#folder@folder:b',
    'folder:b#parent@folder:a',
    'folder:a#viewer@group:staff#member',
    'folder:a#parent@folder:b',
    'group:staff#member@group:team#member',
    'group:team#member@group:staff#member',
    'group:team#member@user:ann',
    'group:team#member@user:bob',
    'document:plan#viewer@user:*',
    'document:plan#viewer@user:cid[office]',
    'document:note#viewer@user:cid[office]',
    'document:plan#banned@group:bad#member',
    'group:bad#member@user:bob',
    'group:bad#member@group:staff#member',
  ])
  const cycles = 'visited'
  const lookup = { resourceType: 'document', permission: 'view', subject: { type: 'user', id: 'cid' }, limit: 10 }
  const subjects = { resource: { type: 'document', id: 'plan' }, permission: 'both', subjectType: 'user', limit: 10 }
  const requests: [string, (budget: Budget) => unknown][] = [
    ['a check', (budget) => check(schema, graph, view('note', 'cid'), { now, cycles, budget })],
    ['a check decided by groups', (budget) => check(schema, graph, view('plan', 'ann'), { now, budget })],
    ['resources', (budget) => lookupResources(schema, graph, lookup, { now, budget })],
    ['subjects', (budget) => lookupSubjects(schema, graph, subjects, { now, budget })],
  ]

  test.for(requests)('lets %s return the full result or fail', ([, evaluate]) => {
    const budget = new Budget()
    const result = outcome(() => evaluate(budget))
    const steps = maxSteps - budget.left
    expect(steps).toBeGreaterThan(2)
    for (let stepLimit = 0; stepLimit < steps; stepLimit++)
      expect(outcome(() => evaluate(new Budget(stepLimit)))).toBe('too-much-work')
    expect(outcome(() => evaluate(new Budget(steps)))).toEqual(result)
  })

  test('can be shared by several requests', () => {
    const budget = new Budget(100)
    const evaluate = () => check(schema, graph, view('note', 'cid'), { now, cycles, budget })
    const results = Array.from({ length: 100 }, () => outcome(evaluate))
    expect(results[0]).toMatchObject({ permissionship: 'conditional' })
    expect(results.at(-1)).toBe('too-much-work')
  })
})

describe('an expensive request', () => {
  function* groupsInAllOthers(count: number) {
    yield 'document:plan#viewer@group:g0#member'
    for (let group = 0; group < count; group++) {
      yield `group:g${group}#member@user:u${group}`
      for (let member = 0; member < count; member++) yield `group:g${group}#member@group:g${member}#member`
    }
  }

  test('fails with too-much-work if it checks hundreds of mutually nested groups', () => {
    const graph = createGraph(groupsInAllOthers(400))
    const since = process.cpuUsage()
    expect(outcome(() => check(schema, graph, view('plan', 'nobody'), { now, cycles: 'visited' }))).toBe(
      'too-much-work',
    )
    expect(measureCpuMs(since)).toBeLessThan(10_000)
  })

  test('fails with too-much-work if it merges the same set many times', () => {
    function* layers() {
      yield 'document:plan#folder@folder:0-0'
      for (let layer = 0; layer < 30; layer++)
        for (let above = 0; above < 20; above++)
          for (let below = 0; below < 20; below++) yield `folder:${layer}-${above}#parent@folder:${layer + 1}-${below}`
      for (let user = 0; user < 2000; user++) yield `folder:30-${user % 20}#viewer@user:u${user}`
    }
    const request = {
      resource: { type: 'document', id: 'plan' },
      permission: 'view',
      subjectType: 'user',
      limit: 10,
    }
    expect(outcome(() => lookupSubjects(schema, createGraph(layers()), request, { now }))).toBe('too-much-work')
  })

  test('succeeds if it finds a hundred thousand resources', () => {
    const graph = new MemoryGraph()
    for (let at = 0; at < 100_000; at++)
      graph.add({
        resource: { type: 'document', id: `d${at}` },
        relation: 'viewer',
        subject: { type: 'group', id: 'staff', relation: 'member' },
      })
    graph.add(parseRow('group:staff#member@user:ann'))
    const request = {
      resourceType: 'document',
      permission: 'viewer',
      subject: { type: 'user', id: 'ann' },
      limit: 10,
    }
    expect(lookupResources(schema, graph, request, { now }).items).toHaveLength(10)
  })

  const list = Array.from({ length: 2000 }, (_, index) => index)
  const largest = Array.from({ length: 200 }, () => 2000)
  const map = Object.fromEntries(list.slice(0, 1000).map((at) => [`k${at}`, 1]))
  const cases: [string, string, CaveatContext, CaveatContext][] = [
    ['nested loops', 'nested', { a: list }, { b: largest }],
    ['a loop that copies its list in each round', 'mapped', { a: list }, {}],
    ['a loop over lists that ends early', 'skipped', { a: list }, {}],
    ['long lists compared in a loop', 'equal_lists', { a: list, b: list }, {}],
    ['long lists searched in a loop', 'within', { a: list }, {}],
    ['large maps compared in a loop', 'subtree', { a: list, b: map }, {}],
    ['long strings searched in a loop', 'contained', { a: list, text: 'ab'.repeat(2000) }, {}],
    ['a large pattern on a long string', 'pattern', { text: 'a'.repeat(24_000) }, { regex: '(a|b)(\\pL{1,90}){9}c' }],
  ]
  test.for(cases)('fails with too-much-work if a caveat has %s', ([, caveat, context, requestContext]) => {
    const graph = new MemoryGraph()
    const [resource, subject] = [
      { type: 'document', id: 'plan' },
      { type: 'user', id: 'ann' },
    ]
    graph.add({ resource, relation: 'viewer', subject, caveat: { name: caveat, context } })
    expect(outcome(() => check(schema, graph, { ...view('plan', 'ann'), context: requestContext }, { now }))).toBe(
      'too-much-work',
    )
  })

  test('fails with caveat-failed for a pattern that expands to many times its length', () => {
    const graph = createGraph(['document:plan#viewer@user:ann[pattern]'])
    const context = { text: 'a', regex: '((a{30}){30}){2}' }
    expect(outcome(() => check(schema, graph, { ...view('plan', 'ann'), context }, { now }))).toBe('caveat-failed')
    const schemaText = 'caveat large(text string) { text.matches("(a{40}){40}") }\ndefinition user {}'
    expect(() => compileSchema(schemaText)).toThrow('This pattern is too large.')
  })

  test('succeeds quickly for numbers with huge exponents', () => {
    const graph = createGraph(['document:plan#viewer@user:ann[numbers]'])
    const context = { a: Array.from({ length: 250 }, () => '1e9999') }
    const since = process.cpuUsage()
    for (let round = 0; round < 100; round++)
      expect(check(schema, graph, { ...view('plan', 'ann'), context }, { now }).permissionship).toBe('hasPermission')
    expect(measureCpuMs(since)).toBeLessThan(1000)
  })
})

describe('a trace', () => {
  const countNodes = (trace: Trace): number => trace.children.reduce((size, child) => size + countNodes(child), 1)
  const hasCut = (trace: Trace): boolean => trace.isCut === true || trace.children.some(hasCut)

  test('has at most ten thousand nodes and marks the cut', () => {
    const graph = new MemoryGraph()
    for (let at = 0; at < 12_000; at++) graph.add(parseRow(`document:plan#viewer@group:g${at}#member`))
    graph.add(parseRow('group:g0#member@user:ann'))
    const result = check(schema, graph, view('plan', 'ann'), { now, withTrace: true })
    // The last edge visited was the first added.
    expect(result.permissionship).toBe('hasPermission')
    expect(result.trace && countNodes(result.trace)).toBe(10_000)
    expect(result.trace?.permissionship).toBe('hasPermission')
    expect(result.trace && hasCut(result.trace)).toBe(true)
  })

  test('has fewer nodes if the nodes are large', () => {
    const text = 'x'.repeat(20_000)
    const graph = new MemoryGraph()
    graph.add(parseRow('document:plan#viewer@group:staff#member'))
    for (let at = 0; at < 400; at++)
      graph.add({
        resource: { type: 'document', id: 'plan' },
        relation: 'viewer',
        subject: { type: 'group', id: `g${at}`, relation: 'member' },
        caveat: { name: 'office', context: { day: text } },
      })
    const { trace } = check(schema, graph, view('plan', 'ann'), { now, withTrace: true })
    expect(JSON.stringify(trace).length).toBeLessThan(4_000_000)
    expect(trace && hasCut(trace)).toBe(true)
  })

  test('is complete for a typical result', () => {
    const graph = createGraph(['document:plan#viewer@group:staff#member', 'group:staff#member@user:ann'])
    const { trace } = check(schema, graph, view('plan', 'ann'), { now, withTrace: true })
    expect(trace && hasCut(trace)).toBe(false)
  })
})
