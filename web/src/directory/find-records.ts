import { listGroups } from '@passport/contract/groups'
import { listOrgs } from '@passport/contract/orgs'
import { type FoundProfile, listProfiles } from '@passport/contract/profile'
import { listRoles } from '@passport/contract/roles'
import { call } from '../app/api.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** What a `Picker` asks for, of what was typed. */
const sentOf = (text: string) => ({ query: { query: text.slice(0, 100), limit: 10 } })

/** People by the beginnings of their names, or by a whole username or e-mail. */
export async function searchPeople(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listProfiles, sentOf(text), { signal })
  return items.map(personOf)
}

/** Someone who was found as someone who can be picked. */
const personOf = ({ profileId, displayname, username }: FoundProfile): Pickable => ({
  id: profileId,
  name: displayname ?? username ?? profileId,
  about: username === null ? undefined : `@${username}`,
})

/** Roles by a part of their name or description, built in or not. */
export async function searchRoles(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listRoles, sentOf(text), { signal })
  return items.map(({ name, description }) => ({ id: name, name, about: description, hasSeal: false }))
}

/** Organisations by the beginnings of words of their names, or by id; for administrators. */
export async function searchOrgs(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listOrgs, sentOf(text), { signal })
  return items.map(({ id, name, slug }) => ({ id, name, about: slug }))
}

/** Groups by the beginnings of words of their names; to administrators all, to others their own. */
export async function searchGroups(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listGroups, sentOf(text), { signal })
  return items.flatMap((group) => ('name' in group ? [{ id: group.id, name: group.name, hasSeal: false }] : []))
}
