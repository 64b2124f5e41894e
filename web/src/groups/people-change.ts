import {
  addGroupMembers,
  addGroupOwners,
  type Group,
  type GroupChange,
  maxBatchSize,
  removeGroupMembers,
  removeGroupOwners,
} from '@passport/contract/groups'
import { call } from '../app/api.ts'
import type { PreviewQuery } from '../directory/use-preview.tsx'
import type { PeopleKind } from './area.ts'

export type PeopleAction = 'add' | 'remove'

const endpoints = {
  members: { add: addGroupMembers, remove: removeGroupMembers },
  owners: { add: addGroupOwners, remove: removeGroupOwners },
}

/** Adds or removes people in one call; a version makes it conditional (If-Match). */
export const changePeople = (
  { id }: Pick<Group, 'id'>,
  kind: PeopleKind,
  action: PeopleAction,
  userIds: string[],
  query: PreviewQuery = {},
  version?: number,
): Promise<GroupChange> =>
  call<typeof addGroupMembers>(
    endpoints[kind][action] as typeof addGroupMembers,
    { params: { groupId: id }, query, body: { [kind]: userIds } },
    version === undefined ? {} : { ifMatch: `"${version}"` },
  )

/** Splits people into batches of the maximum size of one call. */
export const splitIntoBatches = (userIds: string[]): string[][] =>
  Array.from({ length: Math.ceil(userIds.length / maxBatchSize) }, (_, index) =>
    userIds.slice(index * maxBatchSize, (index + 1) * maxBatchSize),
  )
