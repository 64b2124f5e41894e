import type { IdentityApi } from '@passport/contract/identity-apis'

/** A scope with the sentence that users read when they are asked for consent. */
export interface DescribedScope {
  name: string
  description: string
  isEmphasized: boolean
}

/** Returns the names of the scopes of an API, first that of the API as a whole. */
export const scopeNamesOf = ({ name, scopes }: Pick<IdentityApi, 'name' | 'scopes'>): string[] => [
  name,
  ...scopes.map((scope) => scope.name),
]

/** Returns the scopes of an API, described for users. */
export const describeScopesOf = ({ name, displayName, description, scopes }: IdentityApi): DescribedScope[] => [
  { name, description: description || `Use ${displayName} as you`, isEmphasized: false },
  ...scopes.map((scope) => ({
    name: scope.name,
    description: scope.description || `${displayName}: ${scope.name}`,
    isEmphasized: scope.emphasize,
  })),
]

/** Returns the APIs with at least one of these scopes, in the order of the scopes. */
export function findApisWithScopes<Api extends IdentityApi>(apis: Api[], scopes: Iterable<string>): Api[] {
  const found = [...scopes].flatMap((scope) => apis.find((api) => scopeNamesOf(api).includes(scope)) ?? [])
  return [...new Set(found)]
}

/** Reports whether a client gets new tokens of an API. */
export const admits = ({ enabled, allowedClients }: IdentityApi, clientId: string): boolean =>
  enabled && (allowedClients === null || allowedClients.includes(clientId))

/** Reports whether a client may introspect the tokens of an API, whichever client they were issued to. */
export const canIntrospect = (
  { builtIn, resourceServers }: IdentityApi,
  client: { clientId: string; isConfidential: boolean },
): boolean => client.isConfidential && (builtIn || resourceServers.includes(client.clientId))

/** Returns the scopes that users may get for tokens without a client: those of enabled APIs that allow every client. */
export const listScopesForUsers = (apis: IdentityApi[]): DescribedScope[] =>
  apis.filter(({ enabled, allowedClients }) => enabled && allowedClients === null).flatMap(describeScopesOf)
