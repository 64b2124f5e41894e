import { apiScope } from '../provider/access-token.ts'
import { type DescribedScope, describeScopes } from '../provider/scopes.ts'

/**
 * Returns the scopes that a personal token may have, in display order: those of APIs. A scope that describes a sign-in
 * (`openid`, `profile`) or that only an application has is none of them.
 */
export const listGrantableScopes = (): DescribedScope[] => describeScopes([apiScope])

/** Returns the scopes of a token that are of an API for which a client is a resource server. */
export const pickScopesFor = (client: { isConfidential: boolean }, scopes: string[]): string[] =>
  client.isConfidential ? scopes.filter((scope) => scope === apiScope) : []
