import type { ConsentFailure } from '@passport/contract/org-entra'
import { OrgName, toOrgFields } from '@passport/contract/orgs'
import * as z from 'zod/mini'
import type { ActorFields } from '../audit/store.ts'
import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import * as groups from '../groups/store.ts'
import { toStorableText } from '../http/storable-text.ts'
import * as orgs from '../orgs/store.ts'
import { hashToken } from '../vault.ts'
import * as links from './consent-store.ts'
import { GraphFailure, type Organization, readOrganization, requestAppToken } from './graph.ts'
import * as store from './store.ts'
import { addTenantDomains, lapseTenantDomains } from './tenant-domains.ts'

type ConsentServices = Pick<Services, 'config' | 'httpClient' | 'sql'>

/** The parameters with which Microsoft Entra returns from the consent page. None of them proves anything. */
export interface ConsentResponse {
  state: string
  adminConsent: string
  tenant: string
  error: string
  errorDescription: string
}

interface Outcome {
  /** Undefined if the state belongs to no link. */
  orgId?: string
  /** Undefined if the tenant consented. */
  failure?: ConsentFailure
}

/** A consent that is not accepted. */
class Rejection extends Error {
  readonly code: ConsentFailure
  /** The permission that the tenant did not grant. */
  readonly permission: string | null
  constructor(code: ConsentFailure, detail: string, permission: string | null = null) {
    super(detail)
    this.code = code
    this.permission = permission
  }
}

/**
 * Handles the response to a consent link, once for each link. The tenant has consented only if it issues a token to
 * Passport with which its own record can be read.
 */
export async function receiveConsent(
  services: ConsentServices,
  response: ConsentResponse,
  actor: ActorFields,
): Promise<Outcome> {
  const { sql } = services
  const spent = await spendLink(sql, response.state)
  if (spent.orgId === undefined || spent.failure === 'state-used' || spent.isReplaced) return spent
  const { orgId } = spent
  try {
    if (spent.failure) throw new Rejection(spent.failure, 'the link has expired')
    const connection = await requireConnection(sql, orgId)
    requireGranted(response, connection.tenantId)
    await grant(sql, orgId, await prove(services, connection), actor)
    return { orgId }
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    await recordFailure(sql, orgId, error, actor)
    return { orgId, failure: error.code }
  }
}

/** Marks a link as used. Returns its organisation, and why the link does not work. */
function spendLink(sql: Sql, state: string): Promise<Outcome & { isReplaced?: boolean }> {
  return transaction(sql, async (sql) => {
    const stateHash = hashToken(state)
    const link = await links.lockLink(sql, stateHash)
    if (!link) return { failure: 'state-unknown' }
    const { orgId } = link
    if (link.usedAt !== null) return { orgId, failure: 'state-used' }
    if (link.replacedAt !== null) return { orgId, failure: 'state-expired', isReplaced: true }
    if (link.isExpired) return { orgId, failure: 'state-expired' }
    await links.useLink(sql, stateHash)
    return { orgId }
  })
}

async function requireConnection(sql: Sql, orgId: string): Promise<store.EntraRow> {
  const connection = await store.find(sql, orgId)
  if (!connection || connection.orgDeletedAt !== null)
    throw new Rejection('state-expired', 'the organisation is deleted')
  return connection
}

/** Throws a `Rejection` unless the response says that this tenant consented. */
function requireGranted({ error, errorDescription, adminConsent, tenant }: ConsentResponse, tenantId: string) {
  // Some clouds write `True`, and a denial repeats it.
  if (error !== '' || adminConsent.toLowerCase() !== 'true')
    throw new Rejection('consent-denied', toStorableText(`${error}: ${errorDescription}`, 500))
  if (tenant.toLowerCase() !== tenantId)
    throw new Rejection('tenant-mismatch', `the response names the tenant ${tenant}`)
}

/** Reads the tenant's record with a token of the tenant. Throws a `Rejection`. */
async function prove(
  { config, httpClient }: ConsentServices,
  { cloud: cloudId, tenantId }: Pick<store.EntraRow, 'cloud' | 'tenantId'>,
): Promise<Organization> {
  const cloud = config.entraClouds.find(({ id }) => id === cloudId)
  if (!cloud) throw new Rejection('proof-failed', 'the cloud is no longer configured')
  const asked = { httpClient, cloud }
  try {
    const organization = await readOrganization(asked, await requestAppToken(asked, tenantId))
    if (organization.id === tenantId) return organization
  } catch (error) {
    if (!(error instanceof GraphFailure)) throw error
    throw new Rejection('proof-failed', `${error.code}: ${error.message}`, error.permission)
  }
  throw new Rejection('proof-failed', 'the record is that of another tenant')
}

/** Records the consent of a tenant with its names and domains. An organisation named after a domain gets its name. */
function grant(sql: Sql, orgId: string, organization: Organization, actor: ActorFields): Promise<void> {
  return retryIfTaken(() =>
    transaction(sql, async (sql) => {
      const org = await orgs.lock(sql, orgId)
      const before = await store.lock(sql, orgId)
      if (!org || !before) throw new Rejection('state-expired', 'the organisation is deleted')
      const { added, rejected } = await addTenantDomains(sql, orgId, organization.verifiedDomains, actor)
      await lapseTenantDomains(sql, orgId, organization.verifiedDomains, actor)
      await store.grant(sql, orgId, { ...organization, rejectedDomains: rejected })
      await audit.record(sql, {
        action: 'org.consent-granted',
        ...actor,
        target: { kind: 'org', id: orgId },
        before: { consent: before.consent },
        after: {
          consent: 'granted',
          tenantId: before.tenantId,
          tenant: organization.displayName,
          domains: added,
          rejectedDomains: rejected.map(({ domain }) => domain),
        },
      })
      const { data: name } = z.safeParse(OrgName, organization.displayName)
      const hasPlaceholder = org.name === before.displayName && name !== undefined && name !== org.name
      if (hasPlaceholder) await rename(sql, org, name, actor)
      else await orgs.touch(sql, orgId)
    }),
  )
}

async function rename(sql: Sql, org: orgs.OrgRow, name: string, actor: ActorFields) {
  const [before, after] = [toOrgFields(org), toOrgFields({ ...org, name })]
  await orgs.replace(sql, org.id, after)
  await groups.touchAllOfOrg(sql, org.id)
  await audit.record(sql, { action: 'org.changed', ...actor, target: { kind: 'org', id: org.id }, before, after })
}

const maxAttempts = 3

/** Runs a transaction again if another organisation verified one of its domains at the same time. */
async function retryIfTaken(run: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if ((error as { code?: string }).code !== '23505' || attempt === maxAttempts) throw error
    }
  }
}

function recordFailure(sql: Sql, orgId: string, { code, message, permission }: Rejection, actor: ActorFields) {
  return transaction(sql, async (sql) => {
    if (!(await orgs.lock(sql, orgId))) return
    await store.recordFailure(sql, orgId, { code, permission })
    await orgs.touch(sql, orgId)
    await audit.record(sql, {
      action: 'org.consent-failed',
      ...actor,
      target: { kind: 'org', id: orgId },
      after: { detail: message, permission },
      reason: code,
    })
  })
}
