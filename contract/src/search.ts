import * as z from 'zod/mini'
import { endpoint, json } from './endpoint.ts'

/** A record that a search found. */
export const SearchResult = z
  .object({
    kind: z.enum([
      'user',
      'org',
      'group',
      'role',
      'client',
      'identity-api',
      'entitlement',
      'aws-product',
      'aws-subscription',
      'content',
    ]),
    /** For a role, its name; for a client, its client id; for a text, its slot and its language: `terms/en`. */
    id: z.string(),
    name: z.string(),
    /** Distinguishes records of the same name: an email, a slug, a description, the name of an API in tokens, a key, a product code, the organisation or account of a subscription, a title. */
    detail: z.nullable(z.string()),
  })
  .check(z.meta({ id: 'SearchResult' }))
export type SearchResult = z.infer<typeof SearchResult>

/** Matches whole ids, emails, usernames, slugs, client ids, keys of entitlements, codes and ids of AWS products, accounts, licences and agreements of AWS subscriptions, and names and audiences of APIs, and word prefixes, for a user also those of the email address, for a subscription those of its organisation; the query needs 2 characters or more. */
export const searchRecords = endpoint('GET', '/passport/admin/search', {
  summary: 'Search records by name',
  description:
    'Finds users, organisations, groups, roles, applications, identity APIs, entitlements, AWS products and subscriptions, and texts; at most ten records.',
  access: 'admin',
  query: z.object({ query: z.string().check(z.trim(), z.maxLength(100)) }),
  returns: json(z.array(SearchResult)),
})
