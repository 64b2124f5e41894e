const lists: Record<string, string> = { user: 'users', org: 'orgs', group: 'groups', role: 'roles' }

/** The page of a record, where its kind has pages. */
export const recordPath = (kind: string, id: string): string | undefined =>
  lists[kind] && `/admin/${lists[kind]}/${encodeURIComponent(id)}`
