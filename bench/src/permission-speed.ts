import { check } from '@passport/permissions/check'
import { compileSchema } from '@passport/permissions/compile'
import type { CheckQuestion } from '@passport/permissions/engine'
import { lookupResources } from '@passport/permissions/lookup-resources'
import { lookupSubjects } from '@passport/permissions/lookup-subjects'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import { createRandom, permissionDataSize, permissionRelationships, permissionSchema } from './permission-data.ts'

const relationships = Number(process.argv[2] ?? 1_000_000)
const questions = 100_000
const schema = compileSchema(permissionSchema)
const now = Date.now()
const size = permissionDataSize(relationships)
const { graph, told } = load()
console.log(told)
console.log(checks('hits  ', hits(2)))
console.log(checks('misses', strangers(3)))
console.log(traces(hits(4)))
for (const reader of ['reader-10', 'reader-1000', 'reader']) console.log(resourcesOf(reader))
console.log(subjectsOf('popular'))

function load() {
  globalThis.gc?.()
  const before = process.memoryUsage()
  const started = performance.now()
  const graph = new MemoryGraph()
  for (const relationship of permissionRelationships(relationships)) graph.add(relationship)
  const seconds = (performance.now() - started) / 1000
  globalThis.gc?.()
  const after = process.memoryUsage()
  const bytes = (after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers) / graph.size
  const told = `${graph.size.toLocaleString('en')} relationships made and added in ${seconds.toFixed(1)} s, ${Math.round(bytes)} bytes each`
  return { graph, told }
}

function checks(name: string, asked: CheckQuestion[]): string {
  for (const question of asked.slice(0, 20_000)) check(schema, graph, question, { now })
  const times = new Float64Array(asked.length)
  const started = process.cpuUsage()
  let allowed = 0
  for (const [index, question] of asked.entries()) {
    const since = performance.now()
    if (check(schema, graph, question, { now }).permissionship === 'hasPermission') allowed++
    times[index] = performance.now() - since
  }
  const { user, system } = process.cpuUsage(started)
  const perSecond = Math.round(asked.length / ((user + system) / 1e6)).toLocaleString('en')
  return `${name} ${perSecond} checks for a second of a core, ${microseconds(times)}, ${allowed} allowed`
}

function traces(asked: CheckQuestion[]): string {
  const times = Float64Array.from(asked.slice(0, 20_000), (question) => {
    const since = performance.now()
    check(schema, graph, question, { now, withTrace: true })
    return performance.now() - since
  })
  return `traces ${microseconds(times)}`
}

function microseconds(times: Float64Array): string {
  times.sort()
  const at = (part: number) => `${((times[Math.floor((times.length - 1) * part)] ?? 0) * 1000).toFixed(1)} µs`
  return `p50 ${at(0.5)}, p99 ${at(0.99)}`
}

function resourcesOf(id: string): string {
  const question = { resourceType: 'document', permission: 'view', subject: { type: 'user', id }, limit: 20_000 }
  return lookups(`resources of ${id}`, () => lookupResources(schema, graph, question, { now }).items.length)
}

function subjectsOf(id: string): string {
  const question = { resource: { type: 'document', id }, permission: 'view', subjectType: 'user', limit: 20_000 }
  return lookups(`subjects of ${id}`, () => lookupSubjects(schema, graph, question, { now }).items.length)
}

function lookups(name: string, find: () => number): string {
  const found = find()
  const times = Array.from({ length: 11 }, () => {
    const since = process.cpuUsage()
    find()
    const { user, system } = process.cpuUsage(since)
    return (user + system) / 1000
  }).sort((one, other) => one - other)
  return `${name}: ${found} in ${times[5]?.toFixed(2)} ms of a core`
}

/** Who may, each by a random way down from a random document. */
function hits(seed: number): CheckQuestion[] {
  const random = createRandom(seed)
  const asked: CheckQuestion[] = []
  while (asked.length < questions) {
    const document = `document-${Math.floor(random() * size.documents)}`
    const id = someoneIn('document', document, random)
    if (id !== undefined) asked.push(question(document, id))
  }
  return asked
}

function strangers(seed: number): CheckQuestion[] {
  const random = createRandom(seed)
  return Array.from({ length: questions }, () =>
    question(`document-${Math.floor(random() * size.documents)}`, `user-${Math.floor(random() * size.users)}`),
  )
}

function question(document: string, id: string): CheckQuestion {
  return { resource: { type: 'document', id: document }, permission: 'view', subject: { type: 'user', id } }
}

function someoneIn(type: string, id: string, random: () => number): string | undefined {
  if (type === 'user') return id === '*' ? 'user-1' : id
  const rows = graph.read({ resourceType: type, resourceId: id }).filter(({ relation }) => relation !== 'banned')
  const row = rows[Math.floor(random() * rows.length)]
  return row && someoneIn(row.subject.type, row.subject.id, random)
}
