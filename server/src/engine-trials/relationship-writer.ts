import { ApiError, type Call } from '@passport/contract/call'
import * as api from '@passport/contract/permissions'
import type { CheckQuestion } from '@passport/permissions/engine'
import type { RelationshipUpdate } from '@passport/permissions/relationship'
import { parseRelationship, printRelationship } from '@passport/permissions/relationship-text'
import { heardRelationship, toldRelationship } from '../permissions/told.ts'

/** For the kill test: everything that a relationship can rest on, circles of groups among it. */
export const killedSchema = `definition user {}

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

/** One who writes relationships of its own: those that were acknowledged, and the write that was on its way last. */
export interface RelationshipWriter {
  call: Call
  prefix: string
  /** As text, by what makes it one: all but its caveat. */
  acknowledged: Map<string, string>
  underway: RelationshipUpdate[]
  writes: number
}

export const startRelationshipWriter = (call: Call, prefix: string): RelationshipWriter => ({
  call,
  prefix,
  acknowledged: new Map(),
  underway: [],
  writes: 0,
})

/** Creates, touches and deletes, some at a time, without a pause until the server is gone. */
export async function writeRelationshipsUntilDeath(writer: RelationshipWriter): Promise<void> {
  for (;;) {
    writer.underway = someUpdates(writer)
    writer.writes++
    const updates = writer.underway.map(({ operation, relationship }) => ({
      operation,
      relationship: toldRelationship(relationship),
    }))
    try {
      await writer.call(api.writeRelationships, { body: { updates } })
    } catch (error) {
      if (error instanceof ApiError) throw error
      return
    }
    writer.acknowledged = after(writer)
  }
}

/**
 * Returns what is there of the writer's and what should be: all that was acknowledged and nothing that was deleted, and of
 * the write that was on its way all or nothing. Goes on from what is there.
 */
export async function findStored(writer: RelationshipWriter): Promise<{ stored: string[]; allowed: string[][] }> {
  const allowed = [writer.acknowledged, after(writer)].map((relationships) => [...relationships.values()].sort())
  const stored: string[] = []
  for (const resourceType of ['document', 'folder', 'group']) {
    const query = { resourceType, resourceIdPrefix: writer.prefix, limit: 1000 }
    const { items, cursor } = await writer.call(api.listRelationships, { query })
    if (cursor !== null) throw new Error('There are more relationships than were written.')
    stored.push(...items.map((item) => printRelationship(heardRelationship(item))))
  }
  writer.acknowledged = new Map(stored.map((line) => [keyOf(line), line]))
  writer.underway = []
  return { stored: stored.sort(), allowed }
}

function after({ acknowledged, underway }: RelationshipWriter): Map<string, string> {
  const relationships = new Map(acknowledged)
  for (const { operation, relationship } of underway) {
    const line = printRelationship(relationship)
    if (operation === 'delete') relationships.delete(keyOf(line))
    else relationships.set(keyOf(line), line)
  }
  return relationships
}

const keyOf = (line: string) => line.replace(/\[.*$/, '')
const among = (count: number) => Math.floor(Math.random() * count)
const oneOf = <T>(items: readonly T[]) => items[among(items.length)] as T
const people = ['ann', 'bob', 'cat', 'dan', 'eli', 'fay', 'gus', 'hal']
const prefixes = ['r', 's']

function someUpdates(writer: RelationshipWriter): RelationshipUpdate[] {
  const lines = Array.from({ length: 1 + among(4) }, () => someLine(writer.prefix))
  return [...new Map(lines.map((line) => [keyOf(line), line])).values()].map((line) => {
    const isThere = writer.acknowledged.has(keyOf(line))
    const operation = oneOf(
      isThere ? (['touch', 'delete', 'delete'] as const) : (['create', 'create', 'touch', 'delete'] as const),
    )
    return { operation, relationship: parseRelationship(line) }
  })
}

const person = () => `user:${oneOf(people)}`
const group = () => `group:${oneOf(prefixes)}${among(4)}#member`
const folder = () => `folder:${oneOf(prefixes)}${among(2)}`

function someLine(prefix: string): string {
  const [at, of] = [`${prefix}${among(4)}`, `${prefix}${among(2)}`]
  return oneOf([
    () => `group:${at}#member@${person()}`,
    () => `group:${at}#member@${group()}`,
    () => `folder:${of}#viewer@${oneOf([person, group])()}`,
    () => `document:${at}#parent@${folder()}`,
    () => `document:${at}#viewer@${oneOf([person, group, () => 'user:*'])()}`,
    () => `document:${at}#guest@${person()}${oneOf(['', '[on_day]', '[on_day:{"day":"fri"}]'])}`,
    () => `document:${at}#banned@${oneOf([person, group])()}`,
  ])()
}

/** A question about whatever there may be. */
export function someQuestion(): CheckQuestion {
  const [type, permission] = oneOf([
    ['document', 'view'],
    ['document', 'visit'],
    ['document', 'viewer'],
    ['folder', 'view'],
    ['group', 'member'],
  ] as const)
  const { subject } = parseRelationship(`group:any#member@${oneOf([person, person, group])()}`)
  const resource = { type, id: `${oneOf(prefixes)}${among(4)}` }
  return { resource, permission, subject, context: oneOf([{}, { day: 'fri' }, { day: 'sat' }]) }
}
