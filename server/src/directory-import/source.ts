import type { Report } from './report.ts'

/** What an import adds, read from a file and converted to the terms of Passport. */
export interface Source {
  /** `keycloak stage` or `csv people.csv`; imports of the same source are one another's continuation. */
  name: string
  roles: { name: string; description: string }[]
  orgs: { slug: string; name: string; domains: string[] }[]
  /** Names are unique within an organisation, ignoring case. */
  groups: SourceGroup[]
  users: SourceUser[]
  /** What the conversion kept, changed and dropped. */
  report: Report
}

export interface SourceGroup {
  /** The slug of an organisation, or null. */
  org: string | null
  name: string
  description: string
  roles: string[]
}

export interface SourceUser {
  /** Identifies the user in the source. */
  key: string
  /** The user in messages: their name in the source. */
  label: string
  /** Null where the name in the source is no valid username. */
  username: string | null
  displayName: string | null
  email: string | null
  emailVerified: boolean
  isDisabled: boolean
  roles: string[]
  groups: Pick<SourceGroup, 'org' | 'name'>[]
  /** The slugs of the organisations whose member the user is. */
  orgs: string[]
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
