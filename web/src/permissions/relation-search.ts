import type { RelationshipFilter } from '@passport/contract/permission-terms'

/** How the relationships are shown. */
export const views = ['table', 'tree', 'graph', 'history'] as const
export type View = (typeof views)[number]

/** The Relation Viewer as it stands in the address; the parts of the filter have the names of the call. */
export interface RelationSearch extends RelationshipFilter {
  /** Those alone that run out within so many days. */
  expiresWithin?: string
  view?: string
  /** How far sets and parents are followed: 1 unless told. */
  depth?: string
  /** The objects whose relationships were asked for besides, as references with blanks between. */
  open?: string
  /** What is looked at: a relationship as text, or a reference. */
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

/** The parts of an address that the viewer knows; what comes twice counts as absent. */
export const relationSearchIn = (address: Record<string, unknown>): RelationSearch =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = address[name]
      // Only of a subject's relation the empty text says something: the object itself.
      return typeof value === 'string' && (value !== '' || name === 'subjectRelation') ? [[name, value]] : []
    }),
  )

/** The filter alone. */
export const filterIn = (search: RelationSearch): RelationshipFilter =>
  Object.fromEntries(filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])))

export const expiries = [
  { value: '1', label: 'within a day' },
  { value: '7', label: 'within 7 days' },
  { value: '30', label: 'within 30 days' },
] as const

/** The moment before which they must run out; to the minute, so that the same question is asked again for a while. */
export function expiresBefore({ expiresWithin }: RelationSearch, now = Date.now()): { expiresBefore?: string } {
  const days = expiries.find(({ value }) => value === expiresWithin)?.value
  if (!days) return {}
  return { expiresBefore: new Date(Math.ceil(now / 60_000) * 60_000 + Number(days) * 86_400_000).toISOString() }
}

export const viewIn = ({ view }: RelationSearch): View => views.find((one) => one === view) ?? 'table'
export const depthIn = ({ depth }: RelationSearch): number => ['2', '3'].indexOf(depth ?? '') + 2 || 1
export const openIn = ({ open }: RelationSearch): string[] => open?.split(' ').filter(Boolean) ?? []
