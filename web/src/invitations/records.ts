import { listRoles } from '@passport/contract/roles'
import { searchRecords } from '@passport/contract/search'
import { call } from '../app/api.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** Roles by a part of their name or description. */
export async function searchRoles(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listRoles, { query: { query: text.slice(0, 100), limit: 10 } }, { signal })
  return items.map(({ name, description }) => ({ id: name, name, about: description, hasSeal: false }))
}

/** Organisations by the beginnings of their words. */
export async function searchOrgs(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const found = await call(searchRecords, { query: { query: text.slice(0, 100) } }, { signal })
  return found
    .filter(({ kind }) => kind === 'org')
    .map(({ id, name, detail }) => ({ id, name, about: detail ?? undefined }))
}
