import { check } from '@passport/permissions/check'
import { compileSchema } from '@passport/permissions/compile'
import type { CheckQuestion } from '@passport/permissions/engine'
import { MemoryGraph } from '@passport/permissions/memory-graph'
import { createRandom, permissionDataSize, permissionRelationships, permissionSchema } from './permission-data.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const questions = 100_000
const schema = compileSchema(permissionSchema)
const now = Date.now()

const { graph } = load()
checks(true)
checks(false)

function load() {
  globalThis.gc?.()
  const before = process.memoryUsage()
  const started = performance.now()
  const graph = new MemoryGraph()
  for (const relationship of permissionRelationships(count)) graph.add(relationship)
  const seconds = (performance.now() - started) / 1000
  globalThis.gc?.()
  const after = process.memoryUsage()
  const used = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers
  console.log(
    `${graph.size} relationships in ${seconds.toFixed(1)} s, ${Math.round(used / graph.size)} bytes each (${Math.round(graph.bytes / graph.size)} in arrays)`,
  )
  return { graph }
}

function checks(hit: boolean): void {
  const asked = someQuestions(hit)
  for (const question of asked.slice(0, 20_000)) check(schema, graph, question, { now })
  const times = new Float64Array(asked.length)
  let allowed = 0
  const started = process.cpuUsage()
  const wall = performance.now()
  for (const [index, question] of asked.entries()) {
    const since = performance.now()
    if (check(schema, graph, question, { now }).permissionship !== 'noPermission') allowed++
    times[index] = performance.now() - since
  }
  const cpu = process.cpuUsage(started)
  times.sort()
  const perSecond = asked.length / ((cpu.user + cpu.system) / 1e6)
  const at = (part: number) => ((times[Math.floor(times.length * part)] ?? 0) * 1000).toFixed(1)
  console.log(
    `${hit ? 'hits  ' : 'misses'} ${Math.round(perSecond)} checks/s, p50 ${at(0.5)} µs, p99 ${at(0.99)} µs, most ${at(1 - 1e-9)} µs, ${allowed} allowed ${Math.round(performance.now() - wall)} ms`,
  )
}

function someQuestions(hit: boolean): CheckQuestion[] {
  const size = permissionDataSize(count)
  const random = createRandom(hit ? 2 : 3)
  const found: CheckQuestion[] = []
  while (found.length < questions) {
    const question = {
      resource: { type: 'document', id: `document-${Math.floor(random() * size.documents)}` },
      permission: 'view',
      subject: { type: 'user', id: `user-${Math.floor(random() * size.users)}` },
    }
    if (hit) {
      const viewer = graph.read({
        resourceType: 'document',
        resourceId: question.resource.id,
        relation: random() < 0.5 ? 'viewer' : 'folder',
      })[0]?.subject
      const id = viewer && someoneIn(viewer.type, viewer.id, random)
      if (!id) continue
      question.subject.id = id
    }
    found.push(question)
  }
  return found
}

/** Down through groups and up through folders to a person. */
function someoneIn(type: string, id: string, random: () => number): string | undefined {
  if (type === 'user') return id === '*' ? 'user-1' : id
  const rows = graph.read({ resourceType: type, resourceId: id })
  const row = rows[Math.floor(random() * rows.length)]
  return row && someoneIn(row.subject.type, row.subject.id, random)
}
