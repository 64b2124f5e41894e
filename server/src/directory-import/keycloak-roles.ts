/* The names of roles of Keycloak, and those that it makes itself: they mean something only there. */

/** The key of a role of an application, or of one of the realm. Both names may contain any character. */
export const keyOf = (client: string | null, name: string): string =>
  JSON.stringify(client === null ? [name] : [client, name])
export const formatKey = (key: string): string => parseKey(key).join('.')
const parseKey = (key: string) => JSON.parse(key) as [string] | [string, string]

const ownRoles = /^(?:offline_access|uma_authorization|default-roles-.*)$/
const ownClients = new Set([
  'account',
  'account-console',
  'admin-cli',
  'broker',
  'realm-management',
  'security-admin-console',
])
/** In the realm master: the roles of administrators, and the applications with those of the administrators of each realm. */
const masterRoles = /^(?:admin|create-realm)$/
const masterClients = /-realm$/
const masterClientRoles = /^(?:create-client|impersonation|(?:manage|query|view)-.+)$/

/** Reports whether Keycloak makes a role itself: one of its own applications, or one of those of a realm. */
export function isOwnRole(realm: string, key: string): boolean {
  const [first, second] = parseKey(key)
  const isMaster = realm === 'master'
  if (second === undefined) return ownRoles.test(first) || (isMaster && masterRoles.test(first))
  return ownClients.has(first) || (isMaster && masterClients.test(first) && masterClientRoles.test(second))
}

/** Reports whether every user has a role of Keycloak itself, so that its loss needs no mention. */
export const isUsualRole = (key: string): boolean => ownRoles.test(formatKey(key))
