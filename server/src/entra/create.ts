import { type ConsentLink, consentLinkMinutes } from '@passport/contract/entra'
import { consumerTenantId } from '@passport/contract/org-entra'
import { OrgName } from '@passport/contract/orgs'
import * as z from 'zod/mini'
import { type ChangeContext, toActorFields } from '../audit/actor.ts'
import * as audit from '../audit/store.ts'
import type { EntraCloud } from '../config.ts'
import { type Sql, transaction } from '../database/sql.ts'
import type { Services } from '../feature.ts'
import { create } from '../orgs/change.ts'
import { orgNotFound } from '../orgs/problems.ts'
import * as orgs from '../orgs/store.ts'
import { recheckCaller } from '../roles/recheck-caller.ts'
import { generateToken, hashToken } from '../vault.ts'
import { type FoundTenant, findTenants } from './clouds.ts'
import * as links from './consent-store.ts'
import * as problems from './problems.ts'
import * as store from './store.ts'

type EntraServices = Pick<Services, 'config' | 'httpClient' | 'sql'>

/** A tenant by one of its domains or by its id. */
interface NewEntraOrg {
  domain?: string | undefined
  tenantId?: string | undefined
  cloud?: string | undefined
  name?: string | undefined
}

/**
 * Creates an organisation from a tenant, with a consent link. Throws 400 for the consumer tenant and an unknown cloud,
 * 404 `tenant-not-found`, 409 `tenant-ambiguous` and `tenant-already-linked`, 501 and 503.
 */
export async function createEntraOrg(
  services: EntraServices,
  input: NewEntraOrg,
  context: ChangeContext,
): Promise<{ org: orgs.OrgRow; link: ConsentLink }> {
  const { config, sql } = services
  const tenant = await findTenant(services, input)
  const linked = await store.findByTenant(sql, tenant.tenantId)
  if (linked) throw problems.tenantLinked(linked)
  const { tenantId, cloud } = tenant
  const ownName = nameOf(tenant, input.domain)
  const name = input.name ?? ownName
  const displayName = tenant.displayName ?? ownName
  return transaction(sql, async (sql) => {
    await recheckCaller(sql, context.caller)
    const org = await create(sql, { name, kind: 'entra' }, context)
    await addConnection(sql, org.id, { tenantId, cloud, displayName, defaultDomain: tenant.defaultDomainName }, context)
    return { org, link: await addLink(sql, config, { orgId: org.id, tenantId, cloud }, context) }
  })
}

async function addConnection(sql: Sql, orgId: string, connection: store.NewConnection, context: ChangeContext) {
  const { tenantId, cloud, displayName } = connection
  if (!(await store.add(sql, orgId, connection))) {
    const other = await store.findByTenant(sql, tenantId)
    throw problems.tenantLinked(other ?? { orgId: '', orgName: 'another organisation', orgDeletedAt: null })
  }
  await audit.record(sql, {
    action: 'org.entra-linked',
    ...toActorFields(context),
    target: { kind: 'org', id: orgId },
    after: { tenantId, cloud, tenant: displayName },
  })
}

/**
 * Gives a tenant to an organisation that exists, without asking the cloud, and without a consent link: until the tenant
 * consents, it has the name of the organisation. Throws 404, and 409
 * `tenant-already-linked`.
 */
export function linkTenant(
  sql: Sql,
  orgId: string,
  { tenantId, cloud }: { tenantId: string; cloud: string },
  context: ChangeContext,
): Promise<void> {
  return transaction(sql, async (sql) => {
    const org = await orgs.lock(sql, orgId)
    if (!org) throw orgNotFound()
    await orgs.setKindEntra(sql, orgId)
    await addConnection(sql, orgId, { tenantId, cloud, displayName: org.name, defaultDomain: null }, context)
    await orgs.touch(sql, orgId)
  })
}

/** Finds the one tenant of the input in the configured clouds. */
async function findTenant(services: EntraServices, { domain, tenantId, cloud }: NewEntraOrg): Promise<FoundTenant> {
  const { entraClouds } = services.config
  if (entraClouds.length === 0) throw problems.notConfigured()
  if (cloud !== undefined && !entraClouds.some(({ id }) => id === cloud)) throw problems.unknownCloud()
  const text = tenantId ?? domain ?? ''
  if (text === consumerTenantId) throw problems.tenantConsumer('tenantId')
  const answers = await findTenants(services, text)
  const eligible = answers.filter((answer) => cloud === undefined || answer.cloud === cloud)
  const found = eligible.filter((answer) => answer.found === true)
  const [first] = found
  if (!first) {
    const unknown = eligible.filter((answer) => answer.found === null)
    if (unknown.length > 0) throw problems.cloudUnavailable(unknown.map((answer) => answer.cloud))
    throw problems.tenantNotFound(text)
  }
  if (found.length > 1) throw problems.tenantAmbiguous(found.map((answer) => answer.cloud))
  if (first.tenantId === consumerTenantId) throw problems.tenantConsumer('domain')
  return first
}

/** Returns the first name of the tenant that is valid for an organisation. */
function nameOf({ displayName, defaultDomainName, tenantId }: FoundTenant, domain: string | undefined): string {
  const names = [displayName, defaultDomainName, domain].map((name) => z.safeParse(OrgName, name).data)
  return names.find((name) => name !== undefined) ?? tenantId
}

/**
 * Creates a consent link, which ends the former one. Throws 404 for an organisation without a tenant, and 409 if its
 * cloud is no longer configured.
 */
export function createLink(
  { config, sql }: EntraServices,
  orgId: string,
  context: ChangeContext,
): Promise<ConsentLink> {
  return transaction(sql, async (sql) => {
    const { tenantId, cloud } = await lockConnection(sql, orgId, context)
    const link = await addLink(sql, config, { orgId, tenantId, cloud }, context)
    await orgs.touch(sql, orgId)
    return link
  })
}

/** Locks an organisation and its tenant. Throws 404. */
export async function lockConnection(
  sql: Sql,
  orgId: string,
  { caller }: Pick<ChangeContext, 'caller'>,
): Promise<store.EntraRow & { version: number }> {
  const org = await orgs.lock(sql, orgId)
  await recheckCaller(sql, caller)
  if (!org) throw orgNotFound()
  const connection = await store.lock(sql, orgId)
  if (!connection) throw problems.notLinked()
  return { ...connection, version: org.version }
}

/** The path of the page to which Microsoft Entra returns after consent. */
export const consentCallbackPath = '/passport/connect/entra/adminconsent/callback'

async function addLink(
  sql: Sql,
  config: EntraServices['config'],
  { orgId, tenantId, cloud }: { orgId: string; tenantId: string; cloud: string },
  context: ChangeContext,
): Promise<ConsentLink> {
  const registration = findCloud(config, cloud)
  const state = generateToken()
  const expiresAt = await links.addLink(sql, {
    orgId,
    stateHash: hashToken(state),
    minutes: consentLinkMinutes,
    setupLinkId: context.caller.setupLinkId ?? null,
  })
  await store.awaitConsent(sql, orgId)
  await audit.record(sql, {
    action: 'org.consent-requested',
    ...toActorFields(context),
    target: { kind: 'org', id: orgId },
    after: { tenantId, expiresAt },
  })
  const parameters = new URLSearchParams({
    client_id: registration.clientId,
    redirect_uri: config.publicUrl + consentCallbackPath,
    scope: `${registration.graph}/.default`,
    state,
  })
  return { consentUrl: `${registration.authority}/${tenantId}/v2.0/adminconsent?${parameters}`, expiresAt }
}

/** Returns the configuration of a cloud. Throws 409 if it was removed. */
export function findCloud({ entraClouds }: Pick<Services['config'], 'entraClouds'>, id: string): EntraCloud {
  const cloud = entraClouds.find((candidate) => candidate.id === id)
  if (!cloud) throw problems.cloudRemoved()
  return cloud
}
