// The directory of a cloud of Microsoft Entra.

export interface EntraPerson {
  /** The object id, a GUID. */
  oid: string
  name: string
  email: string
  upn: string
  /** Object ids of groups, besides those that list the person as a member. */
  groups?: string[]
  /** The application roles. */
  roles?: string[]
  /** A user of another directory. */
  guest?: boolean
}

export interface EntraGroup {
  id: string
  displayName: string
  memberIds: string[]
}

export interface EntraTenant {
  /** A GUID. */
  id: string
  displayName: string
  defaultDomain: string
  verifiedDomains: string[]
  /** `tenant_region_scope`; `EU` by default. */
  region?: string
  /** `tenant_region_sub_scope`, of government tenants. */
  subScope?: string
  /** Signs in at its own identity provider. */
  federated?: boolean
  /**
   * The other cloud of the tenant, of which this one has only the metadata: the commercial cloud of Microsoft describes
   * government tenants too, by the endpoints of their own cloud.
   */
  home?: { id: string; authority: string }
  people: EntraPerson[]
  groups?: EntraGroup[]
}
