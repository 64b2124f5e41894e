import { listProfiles } from '@passport/contract/profile'
import { call } from '../app/api.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** People by the beginnings of their names, or by a whole username or e-mail. */
export async function searchPeople(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const { items } = await call(listProfiles, { query: { query: text.slice(0, 100), limit: 10 } }, { signal })
  return items.map(({ profileId, displayname, username }) => ({
    id: profileId,
    name: displayname ?? username ?? profileId,
    about: username ?? undefined,
  }))
}
