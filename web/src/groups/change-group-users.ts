import {
  addGroupMembers,
  addGroupOwners,
  type Group,
  type GroupChange,
  getGroup,
  listGroupMembers,
  listGroupOwners,
  maxBatchSize,
  removeGroupMembers,
  removeGroupOwners,
} from '@passport/contract/groups'
import { call } from '../app/api.ts'
import { appendRows, type CacheEdit, editResponse, editRows } from '../app/optimistic-update.ts'
import type { PreviewQuery } from '../directory/use-preview.tsx'
import type { Pickable } from '../ui/Picker.tsx'
import type { GroupUserKind } from './area.ts'

export type GroupUserAction = 'add' | 'remove'

const endpoints = {
  members: { add: addGroupMembers, remove: removeGroupMembers },
  owners: { add: addGroupOwners, remove: removeGroupOwners },
}

/** Adds or removes members or owners in one call; with `version`, the call is conditional (If-Match). */
export const changeGroupUsers = (
  { id }: Pick<Group, 'id'>,
  kind: GroupUserKind,
  action: GroupUserAction,
  userIds: string[],
  query: PreviewQuery = {},
  version?: number,
): Promise<GroupChange> =>
  call<typeof addGroupMembers>(
    endpoints[kind][action] as typeof addGroupMembers,
    { params: { groupId: id }, query, body: { [kind]: userIds } },
    version === undefined ? {} : { ifMatch: `"${version}"` },
  )

const lists = { members: listGroupMembers, owners: listGroupOwners }
const counts = { members: 'memberCount', owners: 'ownerCount' } as const

/** Returns the edits that show users as added or removed before the call ends. */
export function editGroupUsers(
  { id }: Pick<Group, 'id'>,
  kind: GroupUserKind,
  action: GroupUserAction,
  users: Pickable[],
): CacheEdit[] {
  const list = lists[kind] as typeof listGroupMembers
  const count = counts[kind]
  const request = { params: { groupId: id } }
  const ids = new Set(users.map((user) => user.id))
  const difference = action === 'add' ? ids.size : -ids.size
  return [
    action === 'add'
      ? appendRows(list, request, users.map(toRow))
      : editRows(list, request, (row) => (ids.has(row.id) ? undefined : row)),
    editResponse(getGroup, { params: { id } }, (group) => ({ ...group, [count]: group[count] + difference })),
  ]
}

const toRow = ({ id, name, detail = '', picture = null }: Pickable) => ({
  id,
  displayname: name,
  username: detail.startsWith('@') ? detail.slice(1) : null,
  avatarPngUrl: picture,
  addedAt: new Date().toISOString(),
})

/** Splits users into batches of at most `maxBatchSize`, the maximum of one call. */
export const splitIntoBatches = <User>(users: User[]): User[][] =>
  Array.from({ length: Math.ceil(users.length / maxBatchSize) }, (_, index) =>
    users.slice(index * maxBatchSize, (index + 1) * maxBatchSize),
  )
