import { groupEntry, orgEntry, roleEntry } from '@passport/contract/config-entry'
import { DirectoryConfig, type GroupEntry, type OrgEntry, type RoleEntry } from '@passport/contract/directory-config'
import type { Fault } from '@passport/contract/problem'
import type { Sql } from '../database/sql.ts'
import { check } from '../http/parse.ts'
import { publicMailFaults } from '../org-domains/public-mail.ts'
import { type Names, namesIn } from './names.ts'
import { groupKey, type Structure } from './read.ts'
import * as store from './store.ts'

/** A document in which everything is fine: its entries by what each is known by. */
export interface Checked {
  roles: Map<string, Placed<RoleEntry>>
  orgs: Map<string, Placed<OrgEntry>>
  groups: Map<string, Placed<GroupEntry>>
}
interface Placed<Entry> {
  entry: Entry
  /** Where it is in the document: `groups[2]`. */
  path: string
}

/** A document that cannot be applied, with every fault of it by its path. */
export class Faulty extends Error {
  readonly faults: Fault[]
  constructor(faults: Fault[]) {
    super(faults.map(({ field, message }) => `${field}: ${message}`).join('\n'))
    this.faults = faults
  }
}

interface Given {
  here: Structure
  /** What the document leaves out is to go, so that nothing can refer to it. */
  isWhole: boolean
}

/** Reads a document, which may be any value. Throws `Faulty`. */
export async function checkDocument(sql: Sql, document: unknown, given: Given): Promise<Checked> {
  const faults: Fault[] = []
  const read = check(DirectoryConfig, document, faults) as DirectoryConfig
  const names = namesIn(document)
  const keys = await groupKeys(sql, names)
  faults.push(...repeated(names, keys), ...unfit(names, given))
  if (faults.length > 0) throw new Faulty(faults.map(told))
  return {
    roles: placed('roles', read.roles.map(roleEntry), (at) => names.roles[at]?.name),
    orgs: placed('orgs', read.orgs.map(orgEntry), (at) => names.orgs[at]?.slug),
    groups: placed('groups', read.groups.map(groupEntry), (at) => keys[at]),
  }
}

const told = ({ field, code, message }: Fault): Fault => ({
  field: field === 'body' ? 'document' : field,
  code,
  message,
})

/** What each group is known by; undefined where that cannot be told. */
async function groupKeys(sql: Sql, { groups }: Names): Promise<(string | undefined)[]> {
  const folded = await store.fold(
    sql,
    groups.map(({ name }) => name ?? ''),
  )
  return groups.map(({ org, name }, at) =>
    org === undefined || name === undefined ? undefined : groupKey(org, folded[at] ?? name),
  )
}

function repeated({ roles, orgs, groups }: Names, keysOfGroups: (string | undefined)[]): Fault[] {
  return [
    ...repeatedIn(
      roles.map(({ name }) => name),
      (at) => `roles[${at}].name`,
    ),
    ...repeatedIn(
      orgs.map(({ slug }) => slug),
      (at) => `orgs[${at}].slug`,
    ),
    ...orgs.flatMap(({ domains }, org) => repeatedIn(domains, (at) => `orgs[${org}].domains[${at}]`)),
    ...repeatedIn(keysOfGroups, (at) => `groups[${at}].name`),
    ...groups.flatMap(({ roles }, group) => repeatedIn(roles, (at) => `groups[${group}].roles[${at}]`)),
  ]
}

function repeatedIn(keys: (string | undefined)[], fieldOf: (at: number) => string): Fault[] {
  const first = new Map<string, number>()
  return keys.flatMap((key, at) => {
    if (key === undefined) return []
    const earlier = first.get(key)
    first.set(key, earlier ?? at)
    return earlier === undefined ? [] : [fault(fieldOf(at), 'repeated', `Is the same as ${fieldOf(earlier)}.`)]
  })
}

/** What may not be there by the rules of the rooms, or refers to nothing. */
function unfit({ roles, orgs, groups }: Names, { here, isWhole }: Given): Fault[] {
  const namedRoles = roles.map(({ name }) => name)
  const knownRoles = new Set([...here.builtIn, ...namedRoles, ...(isWhole ? [] : here.roles.keys())])
  const knownOrgs = new Set([null, ...orgs.map(({ slug }) => slug), ...(isWhole ? [] : here.orgs.keys())])
  return [
    ...namedRoles.flatMap((name, at) =>
      here.builtIn.has(name ?? '')
        ? [fault(`roles[${at}].name`, 'role-built-in', 'Is built in, and stays as it is.')]
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
        : [fault(`groups[${group}].org`, 'not-found', 'There is no such organisation.')]),
      ...roles.flatMap((role, at) =>
        role === undefined || knownRoles.has(role)
          ? []
          : [fault(`groups[${group}].roles[${at}]`, 'not-found', `There is no role ${role}.`)],
      ),
    ]),
  ]
}

const fault = (field: string, code: string, message: string): Fault => ({ field, code, message })

function placed<Entry>(list: string, entries: Entry[], keyOf: (at: number) => string | undefined) {
  return new Map(entries.map((entry, at) => [keyOf(at) ?? '', { entry, path: `${list}[${at}]` }]))
}
