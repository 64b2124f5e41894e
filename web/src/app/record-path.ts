const lists: Record<string, string> = {
  user: 'users',
  org: 'orgs',
  group: 'groups',
  role: 'roles',
  client: 'identity/clients',
  'identity-api': 'identity/apis',
  entitlement: 'entitlements',
  'aws-product': 'awsproducts',
}

/** Returns the path of a record's page; undefined if its kind has no pages. */
export const formatRecordPath = (kind: string, id: string): string | undefined =>
  lists[kind] && `/admin/${lists[kind]}/${encodeURIComponent(id)}`
