import { createHash } from 'node:crypto'
import { isSameEmail } from '@passport/contract/email'
import { listLimits } from './decide.ts'
import type { GroupRow } from './group-store.ts'
import { toPerson } from './person.ts'
import { groupType, userType } from './schema.ts'
import type { PersonRow } from './user-store.ts'
import { choosePrimary, chooseShownName, readAddress } from './user-values.ts'
import type { Complex, Resource } from './values.ts'

/** A resource as JSON, with its version; `etag` is also its `meta.version`. */
export interface Represented {
  json: Record<string, unknown>
  version: string
  etag: string
}

const etagOf = (version: string) => `W/"${version}"`

/** Returns a version of what the client sees: one of the account would show what others do to it. */
const hash = (json: object): string =>
  createHash('sha256').update(JSON.stringify(json)).digest('base64url').slice(0, 22)

/**
 * Returns a user as clients see it: the attributes that they set, and name, email address and state of the account as they
 * are now, if SCIM governs it. What others give an account with other logins, organisations or roles is not shown.
 */
export function representUser(person: PersonRow, baseUrl: string): Represented {
  const { [userType.extension?.id ?? '']: extension, ...attributes } = person.attributes ?? {}
  const location = `${baseUrl}/Users/${person.id}`
  const isActive = person.disabledAt === null && person.endedAt === null
  const governsAccount = listLimits(toPerson(person)).length === 0
  const live = {
    ...('active' in attributes && { active: isActive }),
    ...(governsAccount && 'displayName' in attributes && { displayName: chooseName(attributes, person.displayName) }),
    ...(governsAccount &&
      'emails' in attributes && { emails: withAddress(attributes['emails'] as Complex[], person.email) }),
  }
  const meta = { resourceType: 'User', created: person.createdAt, lastModified: person.updatedAt, location }
  const json = {
    schemas: [userType.schema.id, ...(extension ? [userType.extension?.id] : [])],
    id: person.id,
    ...(person.externalId !== null && { externalId: person.externalId }),
    userName: person.userName,
    ...attributes,
    ...live,
    ...(person.groups.length > 0 && {
      groups: person.groups.map(({ value, display }) => ({ value, $ref: `${baseUrl}/Groups/${value}`, display })),
    }),
    ...(extension && { [userType.extension?.id ?? '']: extension }),
    meta,
  }
  const version = hash(json)
  const etag = etagOf(version)
  return { version, etag, json: { ...json, meta: { ...meta, version: etag } } }
}

/** Returns the name as the client sent it, unless the account has another one than it got for that. */
const chooseName = (attributes: Resource, name: string | null) =>
  name === null || name === chooseShownName(attributes) ? attributes['displayName'] : name

/**
 * Returns the addresses as the client sent them, with that of the account in place of the one that it came from if it has
 * another one now.
 */
function withAddress(emails: Complex[], address: string | null): Complex[] {
  const { email: said } = readAddress({ emails })
  if (address === null || (said !== null && isSameEmail(address, said))) return emails
  const chosen = choosePrimary(emails)
  return emails.map((email) => (email === chosen ? { ...email, value: address } : email))
}

/** Returns a group as clients see it. */
export function representGroup(group: GroupRow, baseUrl: string): Represented {
  const { version } = group
  const etag = etagOf(version)
  return {
    version,
    etag,
    json: {
      schemas: [groupType.schema.id],
      id: group.id,
      ...(group.externalId !== null && { externalId: group.externalId }),
      displayName: group.displayName,
      ...(group.members &&
        group.members.length > 0 && {
          members: group.members.map((value) => ({
            value,
            $ref: `${baseUrl}/Users/${value}`,
            type: 'User',
          })),
        }),
      meta: {
        resourceType: 'Group',
        created: group.createdAt,
        lastModified: group.updatedAt,
        location: `${baseUrl}/Groups/${group.id}`,
        version: etag,
      },
    },
  }
}
