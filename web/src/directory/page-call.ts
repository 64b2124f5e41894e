/** The records whose pages have the paths of their calls. */
const pattern = /^\/app(\/admin\/(?:users|orgs|roles|entitlements|awsproducts|awssubscriptions|identity\/\w+)\/[^/]+)/

/** Returns the path of the call that returns the record of an administrator's page; undefined for other pages. */
export function findPageCall(pathname: string): string | undefined {
  const [, record] = pattern.exec(pathname) ?? []
  return record && `/passport${record}`
}
