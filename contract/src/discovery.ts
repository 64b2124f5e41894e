import * as z from 'zod/mini'
import { DomainName, domainOfEmail } from './domain-name.ts'
import { endpoint, json } from './endpoint.ts'
import type { FieldCode } from './field-codes.ts'

/**
 * The sign-in of users with an email address at a domain. `unknown` is not an error: the user chooses a provider. Only
 * an organisation that has verified the domain counts; an unverified domain looks like a non-existent one.
 */
const Realm = z.object({
  domain: z.string(),
  kind: z.enum(['entra', 'oidc', 'local', 'unknown']),
  idp: z.nullable(z.string()),
  tenantId: z.nullable(z.string()),
  authority: z.nullable(z.string()),
  domainHint: z.nullable(z.string()),
  /** The organisation that has verified the domain; null without the session of a user. */
  org: z.nullable(z.object({ id: z.string(), name: z.string() })),
  signInUrl: z.string(),
})

/** The metadata that a client needs before sign-in. */
export const Discovery = z
  .object({
    brandName: z.string(),
    stack: z.string(),
    /** Whom users ask for help: an address, or a phrase such as “an administrator of Stage Passport”. */
    supportContact: z.string(),
    authority: z.url(),
    issuer: z.url(),
    openidConfiguration: z.url(),
    apiVersions: z.array(z.string()),
    identityProviders: z.array(z.object({ id: z.string(), name: z.string(), kind: z.enum(['oidc', 'local']) })),
    realm: z.optional(Realm),
    features: z.object({
      deviceFlow: z.boolean(),
      devTokens: z.boolean(),
      awsMarketplace: z.boolean(),
      metaHorizon: z.boolean(),
    }),
  })
  .check(z.meta({ id: 'Discovery' }))
export type Discovery = z.infer<typeof Discovery>

/** Only the domain of an email address is used. */
const DiscoveryQuery = z.object({
  domain: z.optional(DomainName),
  email: z.optional(
    z.string().check(
      z.refine((email) => domainOfEmail(email) !== undefined, {
        error: 'Must be an email address.',
        params: { code: 'domain-invalid' satisfies FieldCode },
      }),
    ),
  ),
})

export const discover = endpoint('GET', '/passport/discovery', {
  summary: 'Get the metadata for clients before sign-in',
  access: 'anyone',
  cacheControl: 'public, max-age=300',
  query: DiscoveryQuery,
  returns: json(Discovery),
  // Only queries for a domain are limited, because they could be used to enumerate domains.
  rateLimit: {
    requests: 30,
    perSeconds: 60,
    by: 'address',
    ifQueried: ['domain', 'email'],
    sharedAs: 'discovery',
  },
})
