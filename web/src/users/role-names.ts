import { searchRecords } from '@passport/contract/search'
import { call } from '../app/api.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** The roles that every server has. */
export const builtInRoles = ['Passport.Admin', 'Passport.Developer']

/** Roles by the beginnings of the words of their names. */
export async function searchRoles(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const found = await call(searchRecords, { query: { query: text.slice(0, 100) } }, { signal })
  const roles = found.filter(({ kind }) => kind === 'role')
  return roles.map(({ id, name, detail }) => ({ ...roleOf(name), id, about: detail ?? undefined }))
}

/** A role as something that can be picked. */
export const roleOf = (name: string): Pickable => ({ id: name, name, hasSeal: false })
