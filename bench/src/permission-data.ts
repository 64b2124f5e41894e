import type { Relationship, SubjectReference } from '@passport/permissions/relationship'

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

/** How much there is of everything in so many relationships. */
export interface PermissionDataSize {
  users: number
  groups: number
  folders: number
  documents: number
}

const depth = 5

/** How many results the lookups have that are measured. */
export const lookupSizes = [10, 1000, 10_000] as const

export function permissionDataSize(relationships: number): PermissionDataSize {
  return {
    users: relationships / 20,
    groups: relationships / 200,
    folders: relationships / 50,
    documents: relationships / 5,
  }
}

/**
 * The same relationships each time, exactly so many (a multiple of 1000, from 100,000 on): groups and folders nested five
 * deep, documents in folders with readers, editors and bans, one in a thousand of them public. For each of `lookupSizes`
 * there is somebody who sees so many documents beside the public ones, such as `user:reader-10`, and a document that so
 * many see through groups, such as `document:popular-10`.
 */
export function* permissionRelationships(relationships: number): Generator<Relationship> {
  const size = permissionDataSize(relationships)
  const random = createRandom(1)
  const any = (what: string, count: number) => ({ type: what, id: `${what}-${Math.floor(random() * count)}` })
  const anyGroup = (): SubjectReference => ({ ...any('group', size.groups), relation: 'member' })
  let left = relationships
  const told = new Set<string>()
  function* tell(type: string, id: string, relation: string, subject: SubjectReference): Generator<Relationship> {
    const key = `${type}:${id}#${relation}@${subject.type}:${subject.id}#${subject.relation ?? ''}`
    if (left === 0 || told.has(key)) return
    if (type === 'document' || type === 'group') told.add(key)
    left--
    yield { resource: { type, id }, relation, subject }
  }

  for (const count of lookupSizes) {
    const group = `readers-of-${count}`
    yield* tell('group', group, 'member', { type: 'user', id: `reader-${count}` })
    yield* tell('folder', `shelf-${count}`, 'viewer', { type: 'group', id: group, relation: 'member' })
  }
  for (let document = 0; document < 10_000; document++) {
    const smallest = document < 10 ? 10 : document < 1_000 ? 1_000 : 10_000
    yield* tell('document', `document-${document}`, 'folder', { type: 'folder', id: `shelf-${smallest}` })
  }
  yield* tell('folder', 'shelf-10', 'parent', { type: 'folder', id: 'shelf-1000' })
  yield* tell('folder', 'shelf-1000', 'parent', { type: 'folder', id: 'shelf-10000' })
  for (const count of lookupSizes) {
    const crowd = `crowd-of-${count}`
    yield* tell('document', `popular-${count}`, 'viewer', set(crowd))
    for (let user = 0; user < count; user++) {
      const part = `${crowd}-${Math.floor(user / 100)}`
      if (user % 100 === 0) yield* tell('group', crowd, 'member', set(part))
      yield* tell('group', part, 'member', { type: 'user', id: `user-${user}` })
    }
  }

  for (let group = 0; group < size.groups; group++) {
    if (group % depth !== 0) yield* tell('group', `group-${group - 1}`, 'member', set(`group-${group}`))
  }
  for (let folder = 0; folder < size.folders; folder++) {
    const id = `folder-${folder}`
    if (folder % depth !== 0) yield* tell('folder', id, 'parent', { type: 'folder', id: `folder-${folder - 1}` })
    yield* tell('folder', id, 'viewer', folder % 3 === 0 ? any('user', size.users) : anyGroup())
  }
  for (let document = 10_000; document < size.documents; document++) {
    const id = `document-${document}`
    yield* tell('document', id, 'folder', any('folder', size.folders))
    if (document % 1000 === 0) yield* tell('document', id, 'viewer', { type: 'user', id: '*' })
    if (document % 4 === 0) yield* tell('document', id, 'banned', any('user', size.users))
    if (document % 2 === 0) yield* tell('document', id, 'viewer', anyGroup())
    yield* tell('document', id, 'viewer', any('user', size.users))
    yield* tell('document', id, 'editor', any('user', size.users))
  }
  while (left > 0) yield* tell('group', any('group', size.groups).id, 'member', any('user', size.users))
}

function set(id: string): SubjectReference {
  return { type: 'group', id, relation: 'member' }
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
