import { groupEntry, orgEntry, roleEntry } from '@passport/contract/config-entry'
import type { GroupEntry, OrgEntry, RoleEntry } from '@passport/contract/directory-config'
import type { Checked } from './check.ts'
import type { Structure } from './read.ts'

type Added<Entry> = { kind: 'added'; wanted: Entry; path: string }
type Changed<Entry, Here> = { kind: 'changed'; here: Here; wanted: Entry; path: string }
/** In the database, and not in the document. */
type Missing<Here> = { kind: 'missing'; here: Here }
type ChangeOf<Of, Entry, Here = Entry & { id: string }> = { of: Of; key: string } & (
  | Added<Entry>
  | Changed<Entry, Here>
  | Missing<Here>
)

/** Where a document and the database differ, entry by entry. */
export type Change =
  | ChangeOf<'role', RoleEntry, RoleEntry>
  | ChangeOf<'organisation', OrgEntry>
  | ChangeOf<'group', GroupEntry>

/** What applying a document would change, and what it does not know: roles, organisations, groups, each by its key. */
export const differencesOf = (here: Structure, document: Checked): Change[] => [
  ...compare('role', here.roles, document.roles, roleEntry),
  ...compare('organisation', here.orgs, document.orgs, orgEntry),
  ...compare('group', here.groups, document.groups, groupEntry),
]

function compare<Of extends string, Entry, Here extends Entry>(
  of: Of,
  here: Map<string, Here>,
  document: Map<string, { entry: Entry; path: string }>,
  plain: (entry: Entry) => Entry,
): ChangeOf<Of, Entry, Here>[] {
  const keys = [...new Set([...here.keys(), ...document.keys()])].sort()
  return keys.flatMap((key): ChangeOf<Of, Entry, Here>[] => {
    const [is, to] = [here.get(key), document.get(key)]
    if (!to) return is ? [{ of, key, kind: 'missing', here: is }] : []
    const { entry: wanted, path } = to
    if (!is) return [{ of, key, kind: 'added', wanted, path }]
    const isSame = JSON.stringify(plain(is)) === JSON.stringify(wanted)
    return isSame ? [] : [{ of, key, kind: 'changed', here: is, wanted, path }]
  })
}
