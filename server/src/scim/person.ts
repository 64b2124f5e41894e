import { type Limit, listLimits, type Person } from './decide.ts'
import type { PersonRow } from './user-store.ts'

/** Returns the facts about a user for the rules. */
export function toPerson(row: PersonRow): Person {
  const { leftBehind } = row
  return {
    record: row.governs ?? 'none',
    isReleased: row.releasedAt !== null,
    isInTrash: row.deletedAt !== null,
    hasEnded: row.endedAt !== null,
    disabledBy: row.disabledAt === null ? 'nobody' : row.disabledByScim ? 'scim' : 'administrator',
    hasOtherLogins: row.hasOtherLogins,
    hasOtherOrgs: row.hasOtherOrgs,
    // A restore gives back the roles of a deleted user.
    hasGlobalRoles: row.hasGlobalRoles || (leftBehind?.roles.length ?? 0) > 0,
  }
}

const limitWords: Record<Limit, string> = {
  'not-provisioned': 'SCIM does not govern the user',
  adopted: 'the user had other logins, organisations or roles when SCIM took over',
  'other-login': 'the user has other logins',
  'other-org': 'the user is a member of another organisation',
  'global-role': 'the user has roles that this organisation does not give',
}

/** Says why SCIM does less, as the end of a sentence. */
export const describe = (limits: Limit[]): string => limits.map((limit) => limitWords[limit]).join(', and ')

/** Says why SCIM governs only the membership. */
export const describeLimits = (found: PersonRow): string => describe(listLimits(toPerson(found)))
