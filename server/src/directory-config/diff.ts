import { toGroupEntry, toOrgEntry, toRoleEntry } from '@passport/contract/config-entry'
import type { GroupEntry, OrgEntry, RoleEntry } from '@passport/contract/directory-config'
import type { ValidDocument } from './check.ts'
import type { Structure } from './read.ts'

type Added<Entry> = { kind: 'added'; desired: Entry; path: string }
type Changed<Entry, Here> = { kind: 'changed'; current: Here; desired: Entry; path: string }
/** In the database, but not in the document. */
type Missing<Here> = { kind: 'missing'; current: Here }
type ChangeOf<Of, Entry, Here = Entry & { id: string }> = { entity: Of; key: string } & (
  | Added<Entry>
  | Changed<Entry, Here>
  | Missing<Here>
)

/** A difference between a document and the database, per entry. */
export type Change =
  | ChangeOf<'role', RoleEntry, RoleEntry>
  | ChangeOf<'organisation', OrgEntry>
  | ChangeOf<'group', GroupEntry>

/**
 * Lists the changes that applying a document would make, and the entries it lacks: roles, organisations, groups, each
 * by key.
 */
export const compareStructure = (current: Structure, document: ValidDocument): Change[] => [
  ...compare('role', current.roles, document.roles, toRoleEntry),
  ...compare('organisation', current.orgs, document.orgs, toOrgEntry),
  ...compare('group', current.groups, document.groups, toGroupEntry),
]

function compare<Of extends string, Entry, Here extends Entry>(
  entity: Of,
  current: Map<string, Here>,
  document: Map<string, { entry: Entry; path: string }>,
  normalize: (entry: Entry) => Entry,
): ChangeOf<Of, Entry, Here>[] {
  const keys = [...new Set([...current.keys(), ...document.keys()])].sort()
  return keys.flatMap((key): ChangeOf<Of, Entry, Here>[] => {
    const [existing, target] = [current.get(key), document.get(key)]
    if (!target) return existing ? [{ entity, key, kind: 'missing', current: existing }] : []
    const { entry: desired, path } = target
    if (!existing) return [{ entity, key, kind: 'added', desired, path }]
    const isSame = JSON.stringify(normalize(existing)) === JSON.stringify(desired)
    return isSame ? [] : [{ entity, key, kind: 'changed', current: existing, desired, path }]
  })
}
