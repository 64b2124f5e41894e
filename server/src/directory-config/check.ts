import { toGroupEntry, toOrgEntry, toRoleEntry } from '@passport/contract/config-entry'
import { DirectoryConfig, type GroupEntry, type OrgEntry, type RoleEntry } from '@passport/contract/directory-config'
import type { Fault } from '@passport/contract/problem'
import type { Sql } from '../database/sql.ts'
import { check } from '../http/parse.ts'
import { publicMailFaults } from '../orgs/public-mail.ts'
import { extractNames, type Names } from './names.ts'
import { groupKey, type Structure } from './read.ts'
import * as store from './store.ts'

/** A valid document: its entries by their keys. */
export interface ValidDocument {
  roles: Map<string, Positioned<RoleEntry>>
  orgs: Map<string, Positioned<OrgEntry>>
  groups: Map<string, Positioned<GroupEntry>>
}
interface Positioned<Entry> {
  entry: Entry
  /** The position in the document: `groups[2]`. */
  path: string
}

/** An invalid document, with all its faults by path. */
export class InvalidDocument extends Error {
  readonly faults: Fault[]
  constructor(faults: Fault[]) {
    super(faults.map(({ field, message }) => `${field}: ${message}`).join('\n'))
    this.faults = faults
  }
}

interface CheckOptions {
  current: Structure
  /** Entries missing in the document will be deleted, so they cannot be referred to. */
  isWhole: boolean
}

/** Validates a document, which may be any value. Throws `InvalidDocument`. */
export async function checkDocument(sql: Sql, document: unknown, options: CheckOptions): Promise<ValidDocument> {
  const faults: Fault[] = []
  const read = check(DirectoryConfig, document, faults) as DirectoryConfig
  const names = extractNames(document)
  const keys = await groupKeys(sql, names)
  faults.push(...findDuplicates(names, keys), ...findRuleFaults(names, options))
  if (faults.length > 0) throw new InvalidDocument(faults.map(toDocumentFault))
  return {
    roles: indexByKey('roles', read.roles.map(toRoleEntry), (at) => names.roles[at]?.name),
    orgs: indexByKey('orgs', read.orgs.map(toOrgEntry), (at) => names.orgs[at]?.slug),
    groups: indexByKey('groups', read.groups.map(toGroupEntry), (at) => keys[at]),
  }
}

const toDocumentFault = ({ field, code, message }: Fault): Fault => ({
  field: field === 'body' ? 'document' : field,
  code,
  message,
})

/** Returns the key of each group; undefined if it cannot be derived. */
async function groupKeys(sql: Sql, { groups }: Names): Promise<(string | undefined)[]> {
  const folded = await store.fold(
    sql,
    groups.map(({ name }) => name ?? ''),
  )
  return groups.map(({ org, name }, at) =>
    org === undefined || name === undefined ? undefined : groupKey(org, folded[at] ?? name),
  )
}

function findDuplicates({ roles, orgs, groups }: Names, keysOfGroups: (string | undefined)[]): Fault[] {
  return [
    ...findDuplicatesIn(
      roles.map(({ name }) => name),
      (at) => `roles[${at}].name`,
    ),
    ...findDuplicatesIn(
      orgs.map(({ slug }) => slug),
      (at) => `orgs[${at}].slug`,
    ),
    ...orgs.flatMap(({ domains }, org) => findDuplicatesIn(domains, (at) => `orgs[${org}].domains[${at}]`)),
    ...findDuplicatesIn(keysOfGroups, (at) => `groups[${at}].name`),
    ...groups.flatMap(({ roles }, group) => findDuplicatesIn(roles, (at) => `groups[${group}].roles[${at}]`)),
  ]
}

function findDuplicatesIn(keys: (string | undefined)[], fieldOf: (at: number) => string): Fault[] {
  const first = new Map<string, number>()
  return keys.flatMap((key, at) => {
    if (key === undefined) return []
    const earlier = first.get(key)
    first.set(key, earlier ?? at)
    return earlier === undefined ? [] : [createFault(fieldOf(at), 'repeated', `Duplicate of ${fieldOf(earlier)}.`)]
  })
}

/** Finds entries that the features' rules forbid, and dangling references. */
function findRuleFaults({ roles, orgs, groups }: Names, { current, isWhole }: CheckOptions): Fault[] {
  const namedRoles = roles.map(({ name }) => name)
  const knownRoles = new Set([...current.builtIn, ...namedRoles, ...(isWhole ? [] : current.roles.keys())])
  const knownOrgs = new Set([null, ...orgs.map(({ slug }) => slug), ...(isWhole ? [] : current.orgs.keys())])
  return [
    ...namedRoles.flatMap((name, at) =>
      current.builtIn.has(name ?? '')
        ? [createFault(`roles[${at}].name`, 'role-built-in', 'Built-in roles cannot be changed.')]
        : [],
    ),
    ...orgs.flatMap(({ domains }, org) =>
      publicMailFaults(
        domains.map((domain) => domain ?? ''),
        (at) => `orgs[${org}].domains[${at}]`,
      ),
    ),
    ...groups.flatMap(({ org, roles }, group) => [
      ...(org === undefined || knownOrgs.has(org)
        ? []
        : [createFault(`groups[${group}].org`, 'not-found', 'Organisation not found.')]),
      ...roles.flatMap((role, at) =>
        role === undefined || knownRoles.has(role)
          ? []
          : [createFault(`groups[${group}].roles[${at}]`, 'not-found', `The role ${role} does not exist.`)],
      ),
    ]),
  ]
}

const createFault = (field: string, code: string, message: string): Fault => ({ field, code, message })

function indexByKey<Entry>(list: string, entries: Entry[], keyOf: (at: number) => string | undefined) {
  return new Map(entries.map((entry, at) => [keyOf(at) ?? '', { entry, path: `${list}[${at}]` }]))
}
