import type { RelationshipFilter } from '@passport/contract/permission-terms'

/** The views of the relationships. */
const views = ['table', 'graph', 'history'] as const
export type View = (typeof views)[number]

/** The Relation Viewer's search parameters; those of the filter are named like in the call. */
export interface RelationSearch extends RelationshipFilter {
  /** Only those that expire within this number of days. */
  expiresWithin?: string
  view?: string
  /** How far sets and parents are followed; 1 by default. */
  depth?: string
  /** The objects whose relationships are also loaded, as references separated by spaces. */
  open?: string
  /** The selection: a relationship as text, or a reference. */
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

/** Returns the viewer's search parameters; repeated ones count as absent. */
export const parseRelationSearch = (params: Record<string, unknown>): RelationSearch =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = params[name]
      // Only an empty `subjectRelation` has a meaning: the object itself.
      return typeof value === 'string' && (value !== '' || name === 'subjectRelation') ? [[name, value]] : []
    }),
  )

/** Returns only the filter. */
export const toFilter = (search: RelationSearch): RelationshipFilter =>
  Object.fromEntries(filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])))

export const expiries = [
  { value: '1', label: 'Within 1 day' },
  { value: '7', label: 'Within 7 days' },
  { value: '30', label: 'Within 30 days' },
] as const

/** Returns the moment of expiry, rounded to a minute so that the query stays the same for a while. */
export function toExpiryFilter({ expiresWithin }: RelationSearch, now = Date.now()): { expiresBefore?: string } {
  const days = expiries.find(({ value }) => value === expiresWithin)?.value
  if (!days) return {}
  return { expiresBefore: new Date(Math.ceil(now / 60_000) * 60_000 + Number(days) * 86_400_000).toISOString() }
}

export const parseView = ({ view }: RelationSearch): View => views.find((candidate) => candidate === view) ?? 'table'
export const parseDepth = ({ depth }: RelationSearch): number => ['2', '3'].indexOf(depth ?? '') + 2 || 1
export const parseOpen = ({ open }: RelationSearch): string[] => open?.split(' ').filter(Boolean) ?? []
