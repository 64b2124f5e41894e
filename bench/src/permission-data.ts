import type { Relationship, SubjectReference } from '@passport/permissions'

/** The schema of the measured data. */
export const permissionSchema = `definition user {}

definition group {
  relation member: user | group#member
}

definition folder {
  relation parent: folder
  relation viewer: user | group#member
  permission view = viewer + parent->view
}

definition document {
  relation folder: folder
  relation viewer: user | user:* | group#member
  relation editor: user | group#member
  relation banned: user
  permission edit = editor - banned
  permission view = viewer + editor + folder->view - banned
}
`

/** The number of objects of each type for a number of relationships. */
export interface PermissionDataSize {
  users: number
  groups: number
  folders: number
  documents: number
}

const depth = 5

/** The result counts of the measured lookups. */
export const lookupSizes = [10, 1000, 10_000] as const

/** Returns the number of objects for a number of relationships. */
export function computeDataSize(relationshipCount: number): PermissionDataSize {
  return {
    users: relationshipCount / 20,
    groups: relationshipCount / 200,
    folders: relationshipCount / 50,
    documents: relationshipCount / 5,
  }
}

/**
 * Generates `relationshipCount` relationships (a multiple of 1000, from 100,000 on), the same each time: groups and
 * folders nested five deep, documents in folders with readers, editors and bans, one in a thousand of them public. For
 * each of `lookupSizes`, one user such as `user:reader-10` sees that many documents besides the public ones, and one
 * document such as `document:popular-10` is visible to that many users through groups.
 */
export function* generateRelationships(relationshipCount: number): Generator<Relationship> {
  const size = computeDataSize(relationshipCount)
  const random = createRandom(1)
  const randomObject = (type: string, count: number) => ({ type, id: `${type}-${Math.floor(random() * count)}` })
  const randomGroup = (): SubjectReference => ({ ...randomObject('group', size.groups), relation: 'member' })
  let remaining = relationshipCount
  const emittedKeys = new Set<string>()
  function* emit(type: string, id: string, relation: string, subject: SubjectReference): Generator<Relationship> {
    const key = `${type}:${id}#${relation}@${subject.type}:${subject.id}#${subject.relation ?? ''}`
    if (remaining === 0 || emittedKeys.has(key)) return
    if (type === 'document' || type === 'group') emittedKeys.add(key)
    remaining--
    yield { resource: { type, id }, relation, subject }
  }

  for (const count of lookupSizes) {
    const group = `readers-of-${count}`
    yield* emit('group', group, 'member', { type: 'user', id: `reader-${count}` })
    yield* emit('folder', `shelf-${count}`, 'viewer', { type: 'group', id: group, relation: 'member' })
  }
  for (let document = 0; document < 10_000; document++) {
    const smallest = document < 10 ? 10 : document < 1_000 ? 1_000 : 10_000
    yield* emit('document', `document-${document}`, 'folder', { type: 'folder', id: `shelf-${smallest}` })
  }
  yield* emit('folder', 'shelf-10', 'parent', { type: 'folder', id: 'shelf-1000' })
  yield* emit('folder', 'shelf-1000', 'parent', { type: 'folder', id: 'shelf-10000' })
  for (const count of lookupSizes) {
    const crowd = `crowd-of-${count}`
    yield* emit('document', `popular-${count}`, 'viewer', toGroupMembers(crowd))
    for (let user = 0; user < count; user++) {
      const subgroup = `${crowd}-${Math.floor(user / 100)}`
      if (user % 100 === 0) yield* emit('group', crowd, 'member', toGroupMembers(subgroup))
      yield* emit('group', subgroup, 'member', { type: 'user', id: `user-${user}` })
    }
  }

  for (let group = 0; group < size.groups; group++) {
    if (group % depth !== 0) yield* emit('group', `group-${group - 1}`, 'member', toGroupMembers(`group-${group}`))
  }
  for (let folder = 0; folder < size.folders; folder++) {
    const id = `folder-${folder}`
    if (folder % depth !== 0) yield* emit('folder', id, 'parent', { type: 'folder', id: `folder-${folder - 1}` })
    yield* emit('folder', id, 'viewer', folder % 3 === 0 ? randomObject('user', size.users) : randomGroup())
  }
  for (let document = 10_000; document < size.documents; document++) {
    const id = `document-${document}`
    yield* emit('document', id, 'folder', randomObject('folder', size.folders))
    if (document % 1000 === 0) yield* emit('document', id, 'viewer', { type: 'user', id: '*' })
    if (document % 4 === 0) yield* emit('document', id, 'banned', randomObject('user', size.users))
    if (document % 2 === 0) yield* emit('document', id, 'viewer', randomGroup())
    yield* emit('document', id, 'viewer', randomObject('user', size.users))
    yield* emit('document', id, 'editor', randomObject('user', size.users))
  }
  while (remaining > 0)
    yield* emit('group', randomObject('group', size.groups).id, 'member', randomObject('user', size.users))
}

function toGroupMembers(id: string): SubjectReference {
  return { type: 'group', id, relation: 'member' }
}

/** Returns a seeded generator of numbers from 0 up to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
