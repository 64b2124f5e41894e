import { ApiError } from '@passport/contract/call'
import { completeObjectIds } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { searchGroups, searchOrgs, searchPeople, searchRoles } from '../directory/find-records.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** An object of a type; `name` is that of the directory, where it knows the object. */
export interface Completion {
  id: string
  name: string | null
}

/** What of the directory can be found by its name, too. The dots of a role's name are slashes in its id. */
const named: Record<string, (text: string, signal: AbortSignal) => Promise<Pickable[]>> = {
  'passport/user': searchPeople,
  'passport/group': searchGroups,
  'passport/org': searchOrgs,
  'passport/role': async (text, signal) =>
    (await searchRoles(text, signal)).map((role) => ({ ...role, id: role.id.replaceAll('.', '/') })),
}

/** The objects of a type that begin like `text`, or are called like it. None where the engine cannot tell them. */
export async function completeObjects(type: string, text: string, signal: AbortSignal): Promise<Completion[]> {
  const [byName, byId] = await Promise.all([findByName(type, text, signal), findById(type, text, signal)])
  return [...new Map([...byName, ...byId].map((one) => [one.id, one])).values()]
}

async function findByName(type: string, text: string, signal: AbortSignal): Promise<Completion[]> {
  const search = text === '' ? undefined : named[type]
  return search ? (await search(text, signal)).map(({ id, name }) => ({ id, name })) : []
}

async function findById(type: string, prefix: string, signal: AbortSignal): Promise<Completion[]> {
  try {
    return (await call(completeObjectIds, { query: { type, prefix, limit: 10 } }, { signal })).items
  } catch (error) {
    // The engine cannot list ids: whoever asks types them.
    if (error instanceof ApiError && error.status === 501) return []
    throw error
  }
}
