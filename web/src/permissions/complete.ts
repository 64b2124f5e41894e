import { ApiError } from '@passport/contract/call'
import { completeObjectIds } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { searchGroups, searchOrgs, searchPeople, searchRoles } from '../directory/find-records.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** An object of a type; `name` is from the directory, if known there. */
export interface Completion {
  id: string
  name: string | null
}

/** The types of the directory that can be searched by name. The dots of a role's name are slashes in its id. */
const nameSearches: Record<string, (text: string, signal: AbortSignal) => Promise<Pickable[]>> = {
  'passport/user': searchPeople,
  'passport/group': searchGroups,
  'passport/org': searchOrgs,
  'passport/role': async (text, signal) =>
    (await searchRoles(text, signal)).map((role) => ({ ...role, id: role.id.replaceAll('.', '/') })),
}

/** Returns objects of a type whose id or name matches `text`. None if the engine cannot list them. */
export async function completeObjects(type: string, text: string, signal: AbortSignal): Promise<Completion[]> {
  const [byName, byId] = await Promise.all([findByName(type, text, signal), findById(type, text, signal)])
  return [...new Map([...byName, ...byId].map((completion) => [completion.id, completion])).values()]
}

async function findByName(type: string, text: string, signal: AbortSignal): Promise<Completion[]> {
  const search = text === '' ? undefined : nameSearches[type]
  return search ? (await search(text, signal)).map(({ id, name }) => ({ id, name })) : []
}

async function findById(type: string, prefix: string, signal: AbortSignal): Promise<Completion[]> {
  try {
    return (await call(completeObjectIds, { query: { type, prefix, limit: 10 } }, { signal })).items
  } catch (error) {
    // The engine cannot list ids: they must be typed.
    if (error instanceof ApiError && error.status === 501) return []
    throw error
  }
}
