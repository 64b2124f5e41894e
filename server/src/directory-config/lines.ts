import type { DimensionFields } from '@passport/contract/aws-products'
import type { TenantEntry } from '@passport/contract/directory-config'
import type { ApiScope } from '@passport/contract/identity-apis'
import type { NewAssertion } from '@passport/contract/permissions'
import { printAssertion } from '../permissions/audit-options.ts'
import type { Change } from './diff.ts'

/** Formats a difference as one line: `changed  role Stage.Editor: description "Edits" → "Edits stages"`. */
export function formatChange(change: Change, verbs: Record<Change['kind'], string>): string {
  const details = change.kind === 'changed' ? `: ${formatDetails(change.current, change.desired)}` : ''
  return `${verbs[change.kind].padEnd(8)} ${formatLabel(change)}${details}`
}

function formatLabel(change: Change): string {
  if (change.entity !== 'group') return `${change.entity} ${change.key}`
  return formatGroup(change.kind === 'missing' ? change.current : change.desired)
}

/** Formats a group with its organisation: `group Editors of contoso`. */
export const formatGroup = ({ name, org }: { name: string; org: string | null }): string =>
  `group ${name}${org === null ? '' : ` of ${org}`}`

type Item = string | { name: string; scopes: string[] } | ApiScope | DimensionFields | Mapping | NewAssertion
type Mapping = TenantEntry['mappings'][number]
type Field = string | number | Item[] | boolean | null

function formatDetails(current: object, desired: object): string {
  return Object.entries(desired as Record<string, Field>)
    .map(([field, to]) => formatDetail(field, (current as Record<string, Field>)[field] ?? '', to ?? ''))
    .filter((detail) => detail !== undefined)
    .join(', ')
}

function formatDetail(field: string, from: NonNullable<Field>, to: NonNullable<Field>): string | undefined {
  if (from === to) return undefined
  const lists = Array.isArray(from) && Array.isArray(to) ? [from, to] : splitLines(from, to)
  if (!lists) return `${field} ${formatValue(from)} → ${formatValue(to)}`
  const [before = [], after = []] = lists.map((items) => items.map(formatItem))
  const added = after.filter((item) => !before.includes(item)).map((item) => `+${item}`)
  const removed = before.filter((item) => !after.includes(item)).map((item) => `-${item}`)
  return added.length + removed.length === 0 ? undefined : `${field} ${[...added, ...removed].join(' ')}`
}

/** Returns the lines of two texts if one has several, such as a permission schema; undefined for other values. */
function splitLines(from: NonNullable<Field>, to: NonNullable<Field>): string[][] | undefined {
  if (typeof from !== 'string' || typeof to !== 'string' || !`${from}${to}`.includes('\n')) return undefined
  return [from, to].map((text) => text.split('\n').filter((line) => line.trim() !== ''))
}

const maxShown = 80

const formatValue = (value: NonNullable<Field>): string =>
  JSON.stringify(typeof value === 'string' && value.length > maxShown ? `${value.slice(0, maxShown)}…` : value)

function formatItem(item: Item): string {
  if (typeof item === 'string') return item
  if ('kind' in item && !('key' in item)) return `(${printAssertion(item)})`
  if ('scopes' in item) return `${item.name}(${item.scopes.join(' ')})`
  if ('key' in item)
    return `${item.key}(${[item.kind, item.unit, item.entitlementKey].filter((part) => part !== null).join(' ')})`
  if (!('name' in item)) return formatMapping(item)
  return `${item.name}(${JSON.stringify(item.description)}${item.emphasize ? ' emphasized' : ''})`
}

/** Formats a mapping of a tenant: `(app role Author → role Stage.Editor)`. */
export const formatMapping = ({ groupObjectId, appRole, group, role }: Mapping): string =>
  `(${groupObjectId ?? `app role ${appRole}`} → ${group ? formatGroup(group) : `role ${role}`})`
