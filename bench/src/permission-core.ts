// Measures the engine alone, in a separate process with nothing else in memory; sends its figures to the parent.
import { type CheckQuestion, check, lookupResources, lookupSubjects, MemoryGraph } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { median, percentile } from './percentile.ts'
import { lookupSizes, permissionDataSize, permissionRelationships, permissionSchema } from './permission-data.ts'
import type { Figures } from './permission-figures.ts'
import { knownQuestions } from './permission-questions.ts'

const relationships = Number(process.argv[2])
const questions = 100_000
const schema = compileSchema(permissionSchema)
const now = Date.now()
const figures: Figures = {}
const graph = loadGraph()
const { hits, misses } = knownQuestions({ schema, graph, size: permissionDataSize(relationships) }, questions)
measureChecks('hits', hits)
measureChecks('misses', misses)
measureTraces([...hits.slice(0, 10_000), ...misses.slice(0, 10_000)])
for (const size of lookupSizes) measureLookups(size)
process.send?.(figures)

function loadGraph(): MemoryGraph {
  globalThis.gc?.()
  const before = process.memoryUsage()
  const graph = new MemoryGraph()
  for (const relationship of permissionRelationships(relationships)) graph.add(relationship)
  globalThis.gc?.()
  const after = process.memoryUsage()
  figures['bytes'] = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / graph.size
  return graph
}

function measureChecks(name: string, batch: CheckQuestion[]) {
  for (const question of batch.slice(0, 20_000)) check(schema, graph, question, { now })
  const before = process.cpuUsage()
  for (const question of batch) check(schema, graph, question, { now })
  figures[name] = batch.length / readCoreSeconds(before)
  const times = Float64Array.from(batch, (question) => measureMs(() => check(schema, graph, question, { now })))
  figures[`${name}P99`] = percentile(times, 0.99)
}

function measureTraces(batch: CheckQuestion[]) {
  const trace = (question: CheckQuestion) => check(schema, graph, question, { now, withTrace: true })
  for (const question of batch) trace(question)
  const times = Float64Array.from(batch, (question) => measureMs(() => trace(question)))
  figures['traceP50'] = percentile(times, 0.5)
  figures['traceP99'] = percentile(times, 0.99)
}

function measureLookups(size: number) {
  const limit = 20_000
  const reader = { type: 'user', id: `reader-${size}` }
  const resourcesQuestion = { resourceType: 'document', permission: 'view', subject: reader, limit }
  const subjectsQuestion = {
    resource: { type: 'document', id: `popular-${size}` },
    permission: 'view',
    subjectType: 'user',
    limit,
  }
  const resources = () => lookupResources(schema, graph, resourcesQuestion, { now }).items.length
  const subjects = () => lookupSubjects(schema, graph, subjectsQuestion, { now }).items.length
  figures[`resources${size}Found`] = resources()
  figures[`resources${size}`] = medianCoreMs(resources)
  figures[`subjects${size}Found`] = subjects()
  figures[`subjects${size}`] = medianCoreMs(subjects)
}

/** Returns the median of eleven rounds, each repeated often enough for the clock's resolution. */
function medianCoreMs(work: () => void): number {
  const firstMs = measureMs(work)
  const times = Math.min(200, Math.max(1, Math.ceil(20 / firstMs)))
  const rounds = Array.from({ length: 11 }, () => {
    const before = process.cpuUsage()
    for (let index = 0; index < times; index++) work()
    return (readCoreSeconds(before) * 1000) / times
  })
  return median(rounds)
}

function measureMs(work: () => void): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}

function readCoreSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
