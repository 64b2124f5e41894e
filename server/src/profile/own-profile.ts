import { type Caller, isAdministrator } from '../http/caller.ts'
import { notYours } from '../http/problems.ts'

/** Returns the id of a profile; `me` stands for the caller. */
export const resolveProfileId = ({ profileId }: { profileId: string }, caller: Caller): string =>
  profileId === 'me' ? caller.id : profileId

/** Returns the id of a profile that the caller may change. Throws 403 whether or not the profile exists. */
export function requireOwnProfile(params: { profileId: string }, caller: Caller): string {
  const id = resolveProfileId(params, caller)
  if (id !== caller.id && !isAdministrator(caller)) throw notYours('You can change only your own profile.')
  return id
}
