// Measures the engine alone, in a separate process with nothing else in memory. Sends the figures to the parent
// process.
import { type CheckRequest, check, lookupResources, lookupSubjects, MemoryGraph } from '@passport/permissions'
import { compileSchema } from '@passport/permissions/compile'
import { readElapsedCpuSeconds } from './cpu-time.ts'
import { selectKnownChecks } from './known-checks.ts'
import { median, percentile } from './percentile.ts'
import { computeDataSize, generateRelationships, lookupSizes, permissionSchema } from './permission-data.ts'
import type { Figures } from './permission-figures.ts'

const relationshipCount = Number(process.argv[2])
const checkCount = 100_000
const schema = compileSchema(permissionSchema)
const now = Date.now()
const figures: Figures = {}
const graph = loadGraph()
const { hits, misses } = selectKnownChecks({ schema, graph, size: computeDataSize(relationshipCount) }, checkCount)
measureChecks('hits', hits)
measureChecks('misses', misses)
measureTraces([...hits.slice(0, 10_000), ...misses.slice(0, 10_000)])
for (const size of lookupSizes) measureLookups(size)
process.send?.(figures)

function loadGraph(): MemoryGraph {
  globalThis.gc?.()
  const before = process.memoryUsage()
  const graph = new MemoryGraph()
  for (const relationship of generateRelationships(relationshipCount)) graph.add(relationship)
  globalThis.gc?.()
  const after = process.memoryUsage()
  figures['bytes'] = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / graph.size
  return graph
}

function measureChecks(name: string, batch: CheckRequest[]) {
  for (const request of batch.slice(0, 20_000)) check(schema, graph, request, { now })
  const before = process.cpuUsage()
  for (const request of batch) check(schema, graph, request, { now })
  figures[name] = batch.length / readElapsedCpuSeconds(before)
  const times = Float64Array.from(batch, (request) => measureMs(() => check(schema, graph, request, { now })))
  figures[`${name}P99`] = percentile(times, 0.99)
}

function measureTraces(batch: CheckRequest[]) {
  const trace = (request: CheckRequest) => check(schema, graph, request, { now, withTrace: true })
  for (const request of batch) trace(request)
  const times = Float64Array.from(batch, (request) => measureMs(() => trace(request)))
  figures['traceP50'] = percentile(times, 0.5)
  figures['traceP99'] = percentile(times, 0.99)
}

function measureLookups(size: number) {
  const limit = 20_000
  const reader = { type: 'user', id: `reader-${size}` }
  const resourcesRequest = { resourceType: 'document', permission: 'view', subject: reader, limit }
  const subjectsRequest = {
    resource: { type: 'document', id: `popular-${size}` },
    permission: 'view',
    subjectType: 'user',
    limit,
  }
  const resources = () => lookupResources(schema, graph, resourcesRequest, { now }).items.length
  const subjects = () => lookupSubjects(schema, graph, subjectsRequest, { now }).items.length
  figures[`resources${size}Found`] = resources()
  figures[`resources${size}`] = measureMedianCpuMs(resources)
  figures[`subjects${size}Found`] = subjects()
  figures[`subjects${size}`] = measureMedianCpuMs(subjects)
}

/**
 * Returns the median CPU time of `work` in milliseconds, over eleven rounds. Each round repeats `work` often enough for
 * the resolution of the clock.
 */
function measureMedianCpuMs(work: () => void): number {
  const firstMs = measureMs(work)
  const repetitions = Math.min(200, Math.max(1, Math.ceil(20 / firstMs)))
  const rounds = Array.from({ length: 11 }, () => {
    const before = process.cpuUsage()
    for (let index = 0; index < repetitions; index++) work()
    return (readElapsedCpuSeconds(before) * 1000) / repetitions
  })
  return median(rounds)
}

function measureMs(work: () => void): number {
  const startedAt = performance.now()
  work()
  return performance.now() - startedAt
}
