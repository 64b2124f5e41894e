const lists: Record<string, string> = {
  user: 'users',
  org: 'orgs',
  group: 'groups',
  role: 'roles',
  client: 'identity/clients',
}

/** Returns the page of a record, if its kind has pages. */
export const formatRecordPath = (kind: string, id: string): string | undefined =>
  lists[kind] && `/admin/${lists[kind]}/${encodeURIComponent(id)}`
