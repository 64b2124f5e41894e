import {
  addMembers,
  addOwners,
  type Group,
  type GroupChange,
  maxBatchSize,
  removeMembers,
  removeOwners,
} from '@passport/contract/groups'
import { call } from '../app/api.ts'
import type { PreviewQuery } from '../directory/use-preview.tsx'
import type { GroupUserKind } from './area.ts'

export type GroupUserAction = 'add' | 'remove'

const endpoints = {
  members: { add: addMembers, remove: removeMembers },
  owners: { add: addOwners, remove: removeOwners },
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
  call<typeof addMembers>(
    endpoints[kind][action] as typeof addMembers,
    { params: { groupId: id }, query, body: { [kind]: userIds } },
    version === undefined ? {} : { ifMatch: `"${version}"` },
  )

/** Splits user ids into batches of at most `maxBatchSize`, the maximum of one call. */
export const splitIntoBatches = (userIds: string[]): string[][] =>
  Array.from({ length: Math.ceil(userIds.length / maxBatchSize) }, (_, index) =>
    userIds.slice(index * maxBatchSize, (index + 1) * maxBatchSize),
  )
