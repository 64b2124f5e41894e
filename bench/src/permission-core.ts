// The engine alone, in a process of its own that has nothing else in memory; tells its figures to whoever started it.
import { check } from '@passport/permissions/check'
import { compileSchema } from '@passport/permissions/compile'
import type { CheckQuestion } from '@passport/permissions/engine'
import { lookupResources } from '@passport/permissions/lookup-resources'
import { lookupSubjects } from '@passport/permissions/lookup-subjects'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import { middleOfAll, percentile } from './percentile.ts'
import { lookupSizes, permissionDataSize, permissionRelationships, permissionSchema } from './permission-data.ts'
import type { Figures } from './permission-figures.ts'
import { knownQuestions } from './permission-questions.ts'

const relationships = Number(process.argv[2])
const questions = 100_000
const schema = compileSchema(permissionSchema)
const now = Date.now()
const figures: Figures = {}
const graph = load()
const { hits, misses } = knownQuestions({ schema, graph, size: permissionDataSize(relationships) }, questions)
checks('hits', hits)
checks('misses', misses)
traces([...hits.slice(0, 10_000), ...misses.slice(0, 10_000)])
for (const size of lookupSizes) lookups(size)
process.send?.(figures)

function load(): MemoryGraph {
  globalThis.gc?.()
  const before = process.memoryUsage()
  const graph = new MemoryGraph()
  for (const relationship of permissionRelationships(relationships)) graph.add(relationship)
  globalThis.gc?.()
  const after = process.memoryUsage()
  figures['bytes'] = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / graph.size
  return graph
}

function checks(name: string, asked: CheckQuestion[]) {
  for (const question of asked.slice(0, 20_000)) check(schema, graph, question, { now })
  const before = process.cpuUsage()
  for (const question of asked) check(schema, graph, question, { now })
  figures[name] = asked.length / coreSeconds(before)
  const times = Float64Array.from(asked, (question) => timed(() => check(schema, graph, question, { now })))
  figures[`${name}P99`] = percentile(times, 0.99)
}

function traces(asked: CheckQuestion[]) {
  const trace = (question: CheckQuestion) => check(schema, graph, question, { now, withTrace: true })
  for (const question of asked) trace(question)
  const times = Float64Array.from(asked, (question) => timed(() => trace(question)))
  figures['traceP50'] = percentile(times, 0.5)
  figures['traceP99'] = percentile(times, 0.99)
}

function lookups(size: number) {
  const limit = 20_000
  const reader = { type: 'user', id: `reader-${size}` }
  const ofSubject = { resourceType: 'document', permission: 'view', subject: reader, limit }
  const ofResource = {
    resource: { type: 'document', id: `popular-${size}` },
    permission: 'view',
    subjectType: 'user',
    limit,
  }
  const resources = () => lookupResources(schema, graph, ofSubject, { now }).items.length
  const subjects = () => lookupSubjects(schema, graph, ofResource, { now }).items.length
  figures[`resources${size}Found`] = resources()
  figures[`resources${size}`] = millisecondsOfCore(resources)
  figures[`subjects${size}Found`] = subjects()
  figures[`subjects${size}`] = millisecondsOfCore(subjects)
}

/** The middle of eleven rounds, each as often as makes it long enough for the clock. */
function millisecondsOfCore(work: () => void): number {
  const once = timed(work)
  const times = Math.min(200, Math.max(1, Math.ceil(20 / once)))
  const rounds = Array.from({ length: 11 }, () => {
    const before = process.cpuUsage()
    for (let at = 0; at < times; at++) work()
    return (coreSeconds(before) * 1000) / times
  })
  return middleOfAll(rounds)
}

function timed(work: () => void): number {
  const since = performance.now()
  work()
  return performance.now() - since
}

function coreSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
