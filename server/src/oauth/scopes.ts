import { builtInApiName } from '@passport/contract/identity-apis'

/** The scope of the company's APIs, including this one. */
export const apiScope = builtInApiName

/** The scopes of the issuer itself; every other scope is one of an API. */
export const issuerScopes = ['openid', 'profile', 'email', 'connections', 'entitlements', 'offline_access', apiScope]

/** The syntax of scopes (RFC 6749, section 3.3). */
const scopePattern = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/

/** Returns the scopes of a parameter, each once; undefined if it is malformed. */
export const parseScopes = (scope: string): string[] | undefined =>
  scopePattern.test(scope) ? splitScopes(scope) : undefined

/** Splits scopes that this server has stored or issued; each once. */
export const splitScopes = (scope: string): string[] => [...new Set(scope.split(' ').filter(Boolean))]
