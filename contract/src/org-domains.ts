import * as z from 'zod/mini'
import { DomainName } from './domain-name.ts'
import { endpoint, json } from './endpoint.ts'
import { Instant } from './instant.ts'

/**
 * A domain that an organisation says is its own. It is proved by a TXT record `dnsValue` at `dnsName`, and lapses when
 * that has been gone for a week.
 */
export const OrgDomain = z
  .object({
    domain: z.string(),
    status: z.enum(['pending', 'verified', 'lapsed']),
    dnsName: z.string(),
    dnsValue: z.string(),
    addedAt: Instant,
    verifiedAt: z.nullable(Instant),
    /** When the record was last looked for. */
    checkedAt: z.nullable(Instant),
    /** Since when it has not been found, where it had been. */
    failingSince: z.nullable(Instant),
  })
  .check(z.meta({ id: 'OrgDomain' }))
export type OrgDomain = z.infer<typeof OrgDomain>

const one = z.object({ orgId: z.string(), domain: DomainName })

/** Domains of public mail services are refused with 400 `domain-public`: no organisation can be told by them. */
export const addOrgDomain = endpoint('POST', '/passport/admin/orgs/{orgId}/domains', {
  summary: 'Add a domain that the organisation is to prove',
  access: 'admin',
  params: z.object({ orgId: z.string() }),
  body: json(z.object({ domain: DomainName })),
  returns: json(OrgDomain),
  creates: true,
  fails: [404, 409],
})
/** 409 `dns-not-found` tells in `found` what is there instead; 409 `domain-taken`: another organisation has proved it. */
export const verifyOrgDomain = endpoint('POST', '/passport/admin/orgs/{orgId}/domains/{domain}/verify', {
  summary: 'Look for the DNS record that proves a domain',
  access: 'admin',
  params: one,
  returns: json(OrgDomain),
  fails: [404, 409, 503],
})
/** If-Match is held against the version of the organisation. */
export const deleteOrgDomain = endpoint('DELETE', '/passport/admin/orgs/{orgId}/domains/{domain}', {
  summary: 'Remove a domain from an organisation',
  access: 'admin',
  params: one,
  conditional: true,
  fails: [404],
})
