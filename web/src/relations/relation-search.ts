import type { RelationshipFilter } from '@passport/contract/permission-terms'
import { pickTexts } from '../permissions/check-search.ts'

/** The views of the relationships. */
const views = ['table', 'graph', 'history'] as const
export type View = (typeof views)[number]

/** The Relation Viewer's search parameters. The filter has the names of the API. */
export interface RelationSearch extends RelationshipFilter {
  /** The number of days within which relationships expire. */
  expiresWithin?: string
  view?: string
  /** The number of levels of subjects to follow; 1, the default, follows none. */
  depth?: string
  /** The expanded objects, as references separated by spaces. Their relationships are also loaded. */
  open?: string
  /** The selected relationship as text, or the selected object as a reference. */
  at?: string
}

const filterNames = [
  'resourceType',
  'resourceId',
  'resourceIdPrefix',
  'relation',
  'subjectType',
  'subjectId',
  'subjectRelation',
] as const
const names = [...filterNames, 'expiresWithin', 'view', 'depth', 'open', 'at'] as const

/** Returns the viewer's search parameters; repeated ones count as absent, and empty ones except `subjectRelation`. */
export const parseRelationSearch = (params: Record<string, unknown>): RelationSearch => ({
  ...pickTexts(params, names),
  // The subjects are objects, not usersets.
  ...(params['subjectRelation'] === '' && { subjectRelation: '' }),
})

/** Returns the filter of the API. */
export const toFilter = (search: RelationSearch): RelationshipFilter =>
  Object.fromEntries(filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])))

export const expiryOptions = [
  { value: '1', label: 'Within 1 day' },
  { value: '7', label: 'Within 7 days' },
  { value: '30', label: 'Within 30 days' },
] as const

/** Returns the API's filter by expiry, rounded up to a minute so that the query stays the same for a while. */
export function toExpiryFilter({ expiresWithin }: RelationSearch, now = Date.now()): { expiresBefore?: string } {
  const days = expiryOptions.find(({ value }) => value === expiresWithin)?.value
  if (!days) return {}
  return { expiresBefore: new Date(Math.ceil(now / 60_000) * 60_000 + Number(days) * 86_400_000).toISOString() }
}

export const parseView = ({ view }: RelationSearch): View => views.find((candidate) => candidate === view) ?? 'table'
export const parseDepth = ({ depth }: RelationSearch): number => ['2', '3'].indexOf(depth ?? '') + 2 || 1
export const parseOpen = ({ open }: RelationSearch): string[] => open?.split(' ').filter(Boolean) ?? []
