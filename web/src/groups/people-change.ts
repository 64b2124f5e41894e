import {
  addMembers,
  addOwners,
  type Group,
  type GroupChange,
  maxBatch,
  removeMembers,
  removeOwners,
} from '@passport/contract/groups'
import { call } from '../app/api.ts'
import type { PreviewQuery } from '../directory/use-preview.tsx'
import type { Part } from './area.ts'

export type PeopleAction = 'add' | 'remove'

const endpoints = {
  members: { add: addMembers, remove: removeMembers },
  owners: { add: addOwners, remove: removeOwners },
}

/** Adds or removes people by one call; with a version only where the group still has it. */
export const sendChange = (
  { id }: Pick<Group, 'id'>,
  part: Part,
  action: PeopleAction,
  people: string[],
  query: PreviewQuery = {},
  version?: number,
): Promise<GroupChange> =>
  call<typeof addMembers>(
    endpoints[part][action] as typeof addMembers,
    { params: { groupId: id }, query, body: { [part]: people } },
    version === undefined ? {} : { ifMatch: `"${version}"` },
  )

/** People in lists that one call takes. */
export const batchesOf = (people: string[]): string[][] =>
  Array.from({ length: Math.ceil(people.length / maxBatch) }, (_, at) =>
    people.slice(at * maxBatch, (at + 1) * maxBatch),
  )
