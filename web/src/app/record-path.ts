const lists: Record<string, string> = {
  user: 'users',
  org: 'orgs',
  group: 'groups',
  role: 'roles',
  client: 'identity/clients',
  'identity-api': 'identity/apis',
  entitlement: 'entitlements',
  'aws-product': 'awsproducts',
  'aws-subscription': 'awssubscriptions',
}

/** Returns the path of a record's page; undefined if its kind has no pages. */
export function formatRecordPath(kind: string, id: string): string | undefined {
  const [slug = '', locale = ''] = id.split('/')
  if (kind === 'content') return `/admin/content?slug=${slug}&locale=${locale}`
  return lists[kind] && `/admin/${lists[kind]}/${encodeURIComponent(id)}`
}

/** Divides a path into the parts of a link. */
export function toLink(path: string) {
  const [to, search] = path.split('?')
  return { to: to as never, search: Object.fromEntries(new URLSearchParams(search)) as never }
}
