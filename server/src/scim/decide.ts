/** What an account has besides the organisation. */
type Tie = 'other-login' | 'other-org' | 'global-role'
/** Why SCIM governs less than the account. */
export type Limit = 'not-provisioned' | 'adopted' | Tie

/** What the rules depend on: the facts about one user, from the view of one organisation. */
export interface Person {
  /** What SCIM clients of the organisation govern: nothing, the account that they created, or only the membership. */
  record: 'none' | 'account' | 'membership'
  /** A client deleted the user, who is not provisioned now. */
  isReleased: boolean
  /** The account is in the trash. */
  isInTrash: boolean
  /** The membership and the login at the tenant have ended. */
  hasEnded: boolean
  disabledBy: 'nobody' | 'scim' | 'administrator'
  /** Logins besides that at the tenant of the organisation. */
  hasOtherLogins: boolean
  /** Memberships of other organisations to which the user or an administrator agreed, also if a restore would give them back. */
  hasOtherOrgs: boolean
  /** Roles that neither the mappings nor the groups of this organisation give. */
  hasGlobalRoles: boolean
}

/** What a client asks for. For `create` and `find`, the person is the one with the object id of the request. */
export type Request = 'create' | 'find' | 'read' | 'change' | 'activate' | 'deactivate' | 'delete'

export type Decision =
  /** The client may not know that the user exists. */
  | 'not-found'
  /** Another user has the name, or the client has created the user already. */
  | 'uniqueness'
  | 'create'
  /** The user, who signed in before, is provisioned from now on: the account, or only the membership. */
  | 'adopt-account'
  | 'adopt-membership'
  /** The user comes back from the trash, or to the organisation, with the same id. */
  | 'restore'
  | 'read'
  /** Changes the account, or only stores what the client says. */
  | 'change-account'
  | 'store-only'
  | 'disable-account'
  | 'end-membership'
  | 'enable-account'
  | 'resume-membership'
  /** An administrator disabled the account, or SCIM no longer governs it: it stays disabled. */
  | 'keep-disabled'
  /** The user is in that state already. */
  | 'nothing'
  | 'trash-account'
  | 'release-membership'

/**
 * Returns what an account has besides the organisation. Neither a client nor a sign-in at the tenant links a login of the
 * tenant to such an account: the tenant would decide who uses the rest.
 */
export function listTies({ hasOtherLogins, hasOtherOrgs, hasGlobalRoles }: Person): Tie[] {
  return [
    ...(hasOtherLogins ? (['other-login'] as const) : []),
    ...(hasOtherOrgs ? (['other-org'] as const) : []),
    ...(hasGlobalRoles ? (['global-role'] as const) : []),
  ]
}

/** Returns why SCIM governs only the membership of a user, or nothing; empty if it governs the account. */
export function listLimits(person: Person): Limit[] {
  if (person.record === 'none') return ['not-provisioned']
  return [...(person.record === 'membership' ? (['adopted'] as const) : []), ...listTies(person)]
}

/**
 * Decides what a SCIM client of an organisation may do to a user. `person` is undefined if there is none with the object id;
 * `nameIsTaken` means that another user has the name or the email address.
 */
export function decide(request: Request, person: Person | undefined, nameIsTaken = false): Decision {
  if (request === 'create' || request === 'find') return decideProvisioning(request, person, nameIsTaken)
  if (!person || person.record === 'none' || person.isReleased || person.isInTrash) return 'not-found'
  if (request === 'read') return 'read'
  const governsAccount = listLimits(person).length === 0
  if (request === 'change') return governsAccount ? 'change-account' : 'store-only'
  if (request === 'delete') return governsAccount ? 'trash-account' : 'release-membership'
  if (request === 'deactivate') return decideDeactivation(person, governsAccount)
  return decideActivation(person, governsAccount)
}

function decideProvisioning(request: 'create' | 'find', person: Person | undefined, nameIsTaken: boolean): Decision {
  if (!person) return request === 'find' ? 'not-found' : nameIsTaken ? 'uniqueness' : 'create'
  const isHere = !person.isReleased && !person.isInTrash
  if (person.record !== 'none' && isHere) return request === 'find' ? 'read' : 'uniqueness'
  if (request === 'create' && nameIsTaken) return 'uniqueness'
  if (person.record !== 'none' || person.isInTrash) return request === 'find' ? 'not-found' : 'restore'
  return listTies(person).length > 0 ? 'adopt-membership' : 'adopt-account'
}

function decideDeactivation({ disabledBy, hasEnded }: Person, governsAccount: boolean): Decision {
  if (governsAccount) return disabledBy === 'nobody' ? 'disable-account' : 'nothing'
  return hasEnded ? 'nothing' : 'end-membership'
}

function decideActivation({ disabledBy, hasEnded }: Person, governsAccount: boolean): Decision {
  if (disabledBy === 'administrator' || (disabledBy === 'scim' && !governsAccount)) return 'keep-disabled'
  if (disabledBy === 'scim') return 'enable-account'
  return hasEnded ? 'resume-membership' : 'nothing'
}
