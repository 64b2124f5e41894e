import { listGroups } from '@passport/contract/groups'
import type { EntraMapping } from '@passport/contract/org-entra'
import { listRoles } from '@passport/contract/roles'
import { call } from '../app/api.ts'
import type { Pickable } from '../ui/Picker.tsx'

/** Where a mapping starts: a group of the tenant, or an app role. */
export type Source = 'groupObjectId' | 'appRole'

export const sourceOptions: { value: Source; label: string }[] = [
  { value: 'groupObjectId', label: 'Entra group' },
  { value: 'appRole', label: 'App role' },
]

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const appRole = /^[\x21-\x7e]{1,120}$/

/** The values of the form that adds mappings. */
export interface MappingEntry {
  source: Source
  value: string
  targets: Pickable[]
}

export const emptyEntry: MappingEntry = { source: 'groupObjectId', value: '', targets: [] }

export const isEmptyEntry = ({ value, targets }: MappingEntry): boolean => value.trim() === '' && targets.length === 0

/** Returns what is wrong with the values; the server checks them again. */
export function findEntryErrors(
  entry: MappingEntry,
  mappings: EntraMapping[],
): { source?: string | undefined; targets?: string | undefined } {
  const existing = new Set(mappings.map(keyOfMapping))
  const isDuplicate = createMappings(entry).some((mapping) => existing.has(keyOfMapping(mapping)))
  const targets = entry.targets.length === 0 ? 'Choose a group or a role.' : 'This mapping exists already.'
  return {
    source: findSourceError(entry.source, entry.value.trim()),
    targets: entry.targets.length === 0 || isDuplicate ? targets : undefined,
  }
}

function findSourceError(source: Source, value: string): string | undefined {
  if (source === 'appRole')
    return appRole.test(value) ? undefined : 'Must be 1 to 120 letters, digits and signs without spaces.'
  return guid.test(value) ? undefined : 'Must be a GUID: the object ID of the group in Microsoft Entra.'
}

export const sourceOf = ({ groupObjectId, appRole }: EntraMapping): string => groupObjectId ?? appRole ?? ''

/** Returns a text that is equal for equal mappings. */
export const keyOfMapping = ({ groupObjectId, appRole, groupId, role }: EntraMapping): string =>
  JSON.stringify([groupObjectId?.toLowerCase(), appRole, groupId, role])

/** Creates a mapping to each picked group and role. */
export const createMappings = ({ source, value, targets }: MappingEntry): EntraMapping[] =>
  targets.map(({ id, kind }) => ({
    ...(source === 'appRole' ? { appRole: value.trim() } : { groupObjectId: value.trim().toLowerCase() }),
    ...(kind === 'role' ? { role: id } : { groupId: id }),
  }))

/** Finds groups and roles. Built-in roles, and groups that have one, cannot be picked. */
export async function searchTargets(text: string, signal: AbortSignal): Promise<Pickable[]> {
  const request = { query: { query: text.slice(0, 100), limit: 10 } }
  const [groups, roles] = await Promise.all([
    call(listGroups, request, { signal }),
    call(listRoles, request, { signal }),
  ])
  return [
    ...groups.items.flatMap((group) =>
      'name' in group
        ? [
            {
              id: group.id,
              name: group.name,
              detail: group.orgName ?? 'Group',
              kind: 'group' as const,
              ...blockIf(group.roles.some(isBuiltIn), 'Has a built-in role'),
            },
          ]
        : [],
    ),
    ...roles.items.map(({ name, description, builtIn }) => ({
      id: name,
      name,
      detail: description || 'Role',
      kind: 'role' as const,
      ...blockIf(builtIn, 'Built-in'),
    })),
  ]
}

const isBuiltIn = (role: string) => role.startsWith('Passport.')
const blockIf = (isBlocked: boolean, disabledReason: string) => (isBlocked ? { disabledReason } : {})
