import type { Report } from './report.ts'

/** What an import adds, read from a file and converted to the terms of Passport. */
export interface Source {
  /** `keycloak stage` or `csv people.csv`; imports of the same source are one another's continuation. */
  name: string
  roles: SourceRole[]
  orgs: SourceOrg[]
  groups: SourceGroup[]
  users: SourceUser[]
  /** What the conversion kept, changed and dropped. */
  report: Report
}

/** A role, an organisation or a group. Two of them are different records of the source, whatever their names are. */
interface SourceRecord {
  name: string
  /** The record in messages: its name in the source. */
  label: string
}

export interface SourceRole extends SourceRecord {
  description: string
}

export interface SourceOrg extends SourceRecord {
  slug: string
  /** Whether the source itself names it by the slug. Otherwise the slug is derived from the name. */
  isNamedBySlug: boolean
  domains: string[]
}

export interface SourceGroup extends SourceRecord {
  description: string
  roles: SourceRole[]
}

export interface SourceUser {
  /** Identifies the user in the source. Of two users with the same key, the second is not imported. */
  key: string
  /** The user in messages: their name in the source. */
  label: string
  /** The line of the source; null if it has none. */
  line: number | null
  /** Null where the name in the source is no valid username. */
  username: string | null
  displayName: string | null
  email: string | null
  emailVerified: boolean
  isDisabled: boolean
  roles: SourceRole[]
  groups: SourceGroup[]
  /** The organisations whose member the user is. */
  orgs: SourceOrg[]
  /** The name and the password hash with which the user signs in to the built-in directory. */
  password: { name: string; hash: string } | null
  /** Identities at other providers. */
  identities: { providerId: string; issuer: string; subject: string; label: string }[]
}

/** An identity provider of the configuration to which identities can be imported. */
export interface TargetProvider {
  id: string
  issuer: string
}

/** Thrown if a file cannot be read as the given format. Its message is for the user of the command. */
export class InvalidSource extends Error {}
