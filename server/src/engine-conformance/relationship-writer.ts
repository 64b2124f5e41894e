import { ApiError, type Call } from '@passport/contract/call'
import * as api from '@passport/contract/permissions'
import { type CheckRequest, parseRelationship, printRelationship, type RelationshipUpdate } from '@passport/permissions'
import { fromWireRelationship, toWireRelationship } from '../permissions/to-wire.ts'

/** A schema for the kill test, with everything that a relationship can have, including cyclic groups. */
export const killTestSchema = `definition user {}

caveat on_day(day string) {
  day == "fri"
}

definition group {
  relation member: user | group#member
}

definition folder {
  relation viewer: user | group#member
  permission view = viewer
}

definition document {
  relation parent: folder
  relation viewer: user | user:* | group#member
  relation guest: user | user with on_day
  relation banned: user | group#member
  permission visit = guest - banned
  permission view = visit + viewer + parent->view - banned
}`

/** A client that writes relationships whose ids have its prefix. */
export interface RelationshipWriter {
  call: Call
  prefix: string
  /** Relationships as text, keyed by their identity, without the caveat. */
  acknowledged: Map<string, string>
  /** The updates of the last write, which may not have been acknowledged. */
  inFlight: RelationshipUpdate[]
  writes: number
}

export const startRelationshipWriter = (call: Call, prefix: string): RelationshipWriter => ({
  call,
  prefix,
  acknowledged: new Map(),
  inFlight: [],
  writes: 0,
})

/** Creates, touches and deletes in small batches without a pause until the server dies. */
export async function writeRelationshipsUntilDeath(writer: RelationshipWriter): Promise<void> {
  for (;;) {
    writer.inFlight = randomUpdates(writer)
    writer.writes++
    const updates = writer.inFlight.map(({ operation, relationship }) => ({
      operation,
      relationship: toWireRelationship(relationship),
    }))
    try {
      await writer.call(api.writeRelationships, { body: { updates } })
    } catch (error) {
      if (error instanceof ApiError) throw error
      return
    }
    writer.acknowledged = applyInFlight(writer)
  }
}

/**
 * Returns the writer's stored relationships, and the allowed states: those of all acknowledged writes, with and without
 * the write in flight. The writer continues from the stored state.
 */
export async function findStored(writer: RelationshipWriter): Promise<{ stored: string[]; allowed: string[][] }> {
  const allowed = [writer.acknowledged, applyInFlight(writer)].map((relationships) =>
    [...relationships.values()].sort(),
  )
  const stored: string[] = []
  for (const resourceType of ['document', 'folder', 'group']) {
    const query = { resourceType, resourceIdPrefix: writer.prefix, limit: 1000 }
    const { items, cursor } = await writer.call(api.listRelationships, { query })
    if (cursor !== null) throw new Error('There are more relationships than were written.')
    stored.push(...items.map((item) => printRelationship(fromWireRelationship(item))))
  }
  writer.acknowledged = new Map(stored.map((line) => [keyOf(line), line]))
  writer.inFlight = []
  return { stored: stored.sort(), allowed }
}

function applyInFlight({ acknowledged, inFlight }: RelationshipWriter): Map<string, string> {
  const relationships = new Map(acknowledged)
  for (const { operation, relationship } of inFlight) {
    const line = printRelationship(relationship)
    if (operation === 'delete') relationships.delete(keyOf(line))
    else relationships.set(keyOf(line), line)
  }
  return relationships
}

const keyOf = (line: string) => line.replace(/\[.*$/, '')
const randomInt = (count: number) => Math.floor(Math.random() * count)
const randomItem = <T>(items: readonly T[]) => items[randomInt(items.length)] as T
const userIds = ['ann', 'bob', 'cat', 'dan', 'eli', 'fay', 'gus', 'hal']
const prefixes = ['r', 's']

function randomUpdates(writer: RelationshipWriter): RelationshipUpdate[] {
  const lines = Array.from({ length: 1 + randomInt(4) }, () => randomLine(writer.prefix))
  return [...new Map(lines.map((line) => [keyOf(line), line])).values()].map((line) => {
    const exists = writer.acknowledged.has(keyOf(line))
    const operation = randomItem(
      exists ? (['touch', 'delete', 'delete'] as const) : (['create', 'create', 'touch', 'delete'] as const),
    )
    return { operation, relationship: parseRelationship(line) }
  })
}

const randomUser = () => `user:${randomItem(userIds)}`
const randomGroup = () => `group:${randomItem(prefixes)}${randomInt(4)}#member`
const randomFolder = () => `folder:${randomItem(prefixes)}${randomInt(2)}`

function randomLine(prefix: string): string {
  const [id, folderId] = [`${prefix}${randomInt(4)}`, `${prefix}${randomInt(2)}`]
  return randomItem([
    () => `group:${id}#member@${randomUser()}`,
    () => `group:${id}#member@${randomGroup()}`,
    () => `folder:${folderId}#viewer@${randomItem([randomUser, randomGroup])()}`,
    () => `document:${id}#parent@${randomFolder()}`,
    () => `document:${id}#viewer@${randomItem([randomUser, randomGroup, () => 'user:*'])()}`,
    () => `document:${id}#guest@${randomUser()}${randomItem(['', '[on_day]', '[on_day:{"day":"fri"}]'])}`,
    () => `document:${id}#banned@${randomItem([randomUser, randomGroup])()}`,
  ])()
}

/** Creates a random check. */
export function randomRequest(): CheckRequest {
  const [type, permission] = randomItem([
    ['document', 'view'],
    ['document', 'visit'],
    ['document', 'viewer'],
    ['folder', 'view'],
    ['group', 'member'],
  ] as const)
  const { subject } = parseRelationship(`group:any#member@${randomItem([randomUser, randomUser, randomGroup])()}`)
  const resource = { type, id: `${randomItem(prefixes)}${randomInt(4)}` }
  return { resource, permission, subject, context: randomItem([{}, { day: 'fri' }, { day: 'sat' }]) }
}
