import type { Discovery } from '@passport/contract/discovery'
import type { HomeRealmQuestion } from '@passport/contract/home-realm'
import type { SignInDecision } from '@passport/contract/tenant-discovery'
import type { Config, EntraCloud } from '../config.ts'
import type { Sql } from '../database/sql.ts'
import * as store from './store.ts'

/** Where the users of a domain or of a tenant sign in, and the rules that decided. */
export interface FoundRealm {
  org: { id: string; name: string } | null
  /** The tenant of the organisation; its cloud is configured, and sign-in through it is enabled. */
  tenant?: { id: string; cloud: EntraCloud }
  /** The only identity provider of this server. */
  provider?: Config['identityProviders'][number]
  /** Why there is no tenant. */
  reason: SignInDecision['reason']
  steps: SignInDecision['steps']
}

/**
 * Finds the home realm of a domain or a tenant id in one statement, whatever it finds. Only an organisation that has
 * verified the domain counts. Its users sign in through its tenant if that is enabled, otherwise with the only identity
 * provider of this server, if there is only one.
 */
export async function findRealm(sql: Sql, config: Config, question: HomeRealmQuestion): Promise<FoundRealm> {
  const row = await store.find(sql, question)
  const org = row ? { id: row.orgId, name: row.orgName } : null
  const cloud = config.entraClouds.find(({ id }) => id === row?.cloud)
  const steps: FoundRealm['steps'] = [{ rule: 'organisation', result: describeOrg(question, row) }]
  const only = findOnlyProvider(config)
  const conclude = (reason: FoundRealm['reason']): FoundRealm => ({
    org,
    reason,
    steps,
    // A tenant id names a tenant: nothing else takes its place.
    ...(org && question.domain !== undefined && only && { provider: only }),
  })

  if (!row) return conclude('no-organisation')
  const { tenantId, signInEnabled } = row
  steps.push({ rule: 'tenant', result: tenantId ?? `${row.orgName} is not connected to Microsoft Entra` })
  if (tenantId === null) return conclude('no-tenant')
  steps.push({ rule: 'enabled', result: signInEnabled ? 'Sign-in is enabled' : 'Sign-in is not enabled' })
  if (!signInEnabled) return conclude('sign-in-disabled')
  steps.push({ rule: 'cloud', result: cloud ? cloud.id : `${row.cloud} is not configured` })
  if (!cloud) return conclude('cloud-not-configured')
  return { org, reason: null, steps, tenant: { id: tenantId, cloud } }
}

function describeOrg({ domain, tenantId }: HomeRealmQuestion, row: store.HomeRealm | undefined): string {
  if (tenantId !== undefined) return row ? `${row.orgName} has this tenant` : 'No organisation has this tenant'
  return row ? `${row.orgName} has verified ${domain}` : `No organisation has verified ${domain}`
}

/** Returns the identity provider of a server with one. */
export const findOnlyProvider = ({ identityProviders }: Config): Config['identityProviders'][number] | undefined =>
  identityProviders.length === 1 ? identityProviders[0] : undefined

/** Returns the realm of a domain as clients see it. */
export async function describeRealm(
  sql: Sql,
  config: Config,
  domain: string,
): Promise<NonNullable<Discovery['realm']>> {
  const { org, tenant, provider } = await findRealm(sql, config, { domain })
  if (tenant)
    return {
      domain,
      kind: 'entra',
      idp: null,
      tenantId: tenant.id,
      authority: `${tenant.cloud.authority}/${tenant.id}/v2.0`,
      domainHint: domain,
      org,
      signInUrl: `/login?tenant=${tenant.id}`,
    }
  return {
    domain,
    kind: provider?.kind ?? 'unknown',
    idp: provider?.id ?? null,
    tenantId: null,
    authority: null,
    domainHint: null,
    org,
    signInUrl: provider ? `/login?idp=${provider.id}` : '/login',
  }
}
