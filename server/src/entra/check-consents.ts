import * as audit from '../audit/store.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { sendMail } from '../mail/send.ts'
import * as orgs from '../orgs/store.ts'
import { GraphFailure, type Organization, readOrganization, requestAppToken } from './graph.ts'
import { listOwnerAddresses } from './owner-addresses.ts'
import * as store from './store.ts'
import { lapseTenantDomains } from './tenant-domains.ts'

type CheckServices = Pick<Services, 'config' | 'branding' | 'httpClient' | 'sql' | 'vault' | 'log'>

const batchSize = 50

/**
 * Asks each consenting tenant for a token. One that refuses has revoked its consent, and the owners of the organisation
 * are notified; a domain that Microsoft no longer verifies lapses. Consent stays if the cloud does not respond.
 */
export async function checkConsents(services: CheckServices): Promise<void> {
  let after = ''
  for (;;) {
    const batch = await store.listConsented(services.sql, after, batchSize)
    await Promise.all(batch.map((connection) => checkConsent(services, connection)))
    const last = batch.at(-1)
    if (!last) return
    after = last.orgId
  }
}

type Consented = Awaited<ReturnType<typeof store.listConsented>>[number]

async function checkConsent(services: CheckServices, { orgId, tenantId, cloud: cloudId }: Consented): Promise<void> {
  const { config, httpClient, sql, log } = services
  const cloud = config.entraClouds.find(({ id }) => id === cloudId)
  if (!cloud) return
  const asked = { httpClient, cloud }
  try {
    const token = await requestAppToken(asked, tenantId)
    const organization = await readOrganization(asked, token)
    if (organization.id === tenantId) await update(sql, orgId, organization)
  } catch (error) {
    if (!(error instanceof GraphFailure)) throw error
    if (error.code === 'not-consented') return revoke(services, orgId)
    log.warn({ org: orgId, code: error.code, permission: error.permission }, 'The consent of a tenant was not checked')
  }
}

/** Updates the names and the domains of a tenant. New domains need another consent. */
function update(sql: Sql, orgId: string, organization: Organization): Promise<void> {
  return transaction(sql, async (sql) => {
    const org = await orgs.lock(sql, orgId)
    const before = await store.lock(sql, orgId)
    if (!org || !before) return
    const { displayName, defaultDomain } = organization
    const hasLapsed = await lapseTenantDomains(sql, orgId, organization.verifiedDomains)
    if (!hasLapsed && before.displayName === displayName && before.defaultDomain === defaultDomain) return
    await store.setNames(sql, orgId, { displayName, defaultDomain })
    await orgs.touch(sql, orgId)
  })
}

function revoke(services: CheckServices, orgId: string): Promise<void> {
  return transaction(services.sql, async (sql) => {
    const org = await orgs.lock(sql, orgId)
    const before = await store.lock(sql, orgId)
    if (!org || before?.consent !== 'granted') return
    await store.revoke(sql, orgId)
    await orgs.touch(sql, orgId)
    await audit.record(sql, {
      action: 'org.consent-revoked',
      target: { kind: 'org', id: orgId },
      before: { consent: 'granted' },
      after: { consent: 'revoked', tenantId: before.tenantId, tenant: before.displayName },
    })
    await notifyOwners(sql, services, { id: orgId, name: org.name, tenant: before.displayName })
  })
}

interface RevokedOrg {
  id: string
  name: string
  tenant: string
}

async function notifyOwners(sql: Sql, services: CheckServices, org: RevokedOrg): Promise<void> {
  const { recipients, isForOwners } = await listOwnerAddresses(sql, org.id)
  const { id: orgId, name: orgName, tenant } = org
  const { name: appName } = services.branding.current()
  for (const to of recipients)
    await sendMail(sql, services, to, 'consent-revoked', { tenant, orgId, orgName, appName, isOwner: isForOwners })
}
