import * as z from 'zod/mini'
import { DomainName } from './domain-name.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'
import { entity } from './request-body.ts'

/**
 * A domain claimed by an organisation. It is verified by a TXT record `dnsValue` at `dnsName`, and lapses when that
 * record has been missing for a week.
 */
export const OrgDomain = z
  .object({
    domain: z.string(),
    status: z.enum(['pending', 'verified', 'lapsed']),
    dnsName: z.string(),
    dnsValue: z.string(),
    addedAt: Instant,
    verifiedAt: z.nullable(Instant),
    /** Who verified it: Passport by DNS, or Microsoft, for a domain of the organisation's tenant, which needs no record. */
    source: z.enum(['dns', 'microsoft']),
    /** When the record was last queried. */
    checkedAt: z.nullable(Instant),
    /** When a verified record was first missing. */
    failingSince: z.nullable(Instant),
  })
  .check(z.meta({ id: 'OrgDomain' }))
export type OrgDomain = z.infer<typeof OrgDomain>

const domainParams = z.object({ orgId: z.string(), domain: DomainName })

/** Domains of public mail services are rejected with 400 `domain-public`: they identify no organisation. */
export const addOrgDomain = endpoint('POST', '/passport/admin/orgs/{orgId}/domains', {
  summary: 'Add a domain to an organisation',
  description: 'The domain must then be verified.',
  access: 'admin',
  params: z.object({ orgId: z.string() }),
  body: entity(z.object({ domain: DomainName })),
  returns: json(OrgDomain),
  creates: true,
  fails: [404, 409],
})
/**
 * Fails with 409 `dns-not-found`, which lists the existing records in `found`, or with 409 `domain-taken` if another
 * organisation has verified the domain.
 */
export const verifyOrgDomain = endpoint('POST', '/passport/admin/orgs/{orgId}/domains/{domain}/verify', {
  summary: 'Verify a domain by its DNS record',
  access: 'admin',
  params: domainParams,
  returns: json(OrgDomain),
  fails: [404, 409],
})
/** If-Match is compared with the version of the organisation. */
export const deleteOrgDomain = endpoint('DELETE', '/passport/admin/orgs/{orgId}/domains/{domain}', {
  summary: 'Remove a domain from an organisation',
  access: 'admin',
  params: domainParams,
  conditional: true,
  fails: [404],
})
