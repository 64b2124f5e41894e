import { listGroups } from '@passport/contract/groups'
import { listOrgs } from '@passport/contract/orgs'
import { listProfiles, type ProfileSummary } from '@passport/contract/profile'
import { listRoles } from '@passport/contract/roles'
import { call } from '../app/api.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** Returns the request of a picker's search. */
const toSearchRequest = (text: string) => ({ query: { query: text.slice(0, 100), limit: 10 } })

/** Finds users by prefixes of their names, or by a whole username or email. */
export async function searchUsers(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listProfiles, toSearchRequest(text), { signal })
  return items.map(toPickable)
}

/** Converts a user to an option. */
const toPickable = ({ profileId, displayname, username, avatarPngUrl }: ProfileSummary): Pickable => ({
  id: profileId,
  name: displayname ?? username ?? profileId,
  detail: username === null ? undefined : `@${username}`,
  picture: avatarPngUrl,
})

/** Finds roles by a part of their name or description, including built-in ones. */
export async function searchRoles(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listRoles, toSearchRequest(text), { signal })
  return items.map(({ name, description }) => ({ id: name, name, detail: description, kind: 'role' }))
}

/** Finds organisations by word prefixes of their names, or by id; for administrators. */
export async function searchOrgs(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listOrgs, toSearchRequest(text), { signal })
  return items.map(({ id, name, slug }) => ({ id, name, detail: slug, kind: 'org' }))
}

/** Finds groups by word prefixes of their names: all groups for administrators, their own for others. */
export async function searchGroups(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listGroups, toSearchRequest(text), { signal })
  return items.flatMap((group) => ('name' in group ? [{ id: group.id, name: group.name, kind: 'group' as const }] : []))
}
