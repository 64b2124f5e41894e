import type { RelationshipFilter } from '@passport/contract/permission-terms'
import { pickTexts } from '../permissions/check-search.ts'

const views = ['table', 'graph', 'history'] as const
export type View = (typeof views)[number]

/** The Relation Viewer's search parameters. Those of the filter have the same names as in the API. */
export interface RelationSearch extends RelationshipFilter {
  /** Shows only relationships that expire within this number of days. */
  expiresWithin?: string
  view?: string
  /** The levels of relationships to load, from 1 to 3; 1, the default, loads only those that match the filter. */
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
const paramNames = [...filterNames, 'expiresWithin', 'view', 'depth', 'open', 'at'] as const

/** Returns the viewer's search parameters. Repeated ones count as absent, as do empty ones except `subjectRelation`. */
export const parseRelationSearch = (params: Record<string, unknown>): RelationSearch => ({
  ...pickTexts(params, paramNames),
  // An empty subject relation selects subjects that are objects, not usersets.
  ...(params['subjectRelation'] === '' && { subjectRelation: '' }),
})

/** Returns the filter for the API. */
export const toFilter = (search: RelationSearch): RelationshipFilter =>
  Object.fromEntries(filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])))

export const expiryOptions = [
  { value: '1', label: 'Within 1 day' },
  { value: '7', label: 'Within 7 days' },
  { value: '30', label: 'Within 30 days' },
] as const

/** Returns the API's filter by expiry. Rounds up to a minute, so that not every render has a new query. */
export function toExpiryFilter({ expiresWithin }: RelationSearch, now = Date.now()): { expiresBefore?: string } {
  const days = expiryOptions.find(({ value }) => value === expiresWithin)?.value
  if (!days) return {}
  return { expiresBefore: new Date(Math.ceil(now / 60_000) * 60_000 + Number(days) * 86_400_000).toISOString() }
}

export const parseView = ({ view }: RelationSearch): View => views.find((candidate) => candidate === view) ?? 'table'
export const parseDepth = ({ depth }: RelationSearch): number => ['2', '3'].indexOf(depth ?? '') + 2
export const parseOpen = ({ open }: RelationSearch): string[] => open?.split(' ').filter(Boolean) ?? []
