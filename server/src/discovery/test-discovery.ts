import { type RunningEntra, startEntra } from '@passport/world/entra/entra'
import { type RunningProvider, startOidcProvider } from '@passport/world/oidc-provider/provider'
import { findFreePort } from '@passport/world/port'
import type { Sql } from '../database/sql.ts'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestService } from '../test-service.ts'

export interface DiscoveringService {
  service: TestService
  /** The providers of the service: `local` and `harbour`. */
  harbour: RunningProvider
  /** The clouds of the service: AzurePublic and AzureChina. */
  clouds: { open: RunningEntra; china: RunningEntra }
  /** The settings of the service, for another one on the same database. */
  env: Record<string, string>
}

/** Starts a service with two identity providers and two clouds of Microsoft Entra. Stops after the tests of the file. */
export async function startDiscoveringService(env: Record<string, string> = {}): Promise<DiscoveringService> {
  const port = await findFreePort()
  const publicUrl = `http://localhost:${port}`
  const registration = { clientId: 'passport', clientSecret: 'the secret of Passport at Entra' }
  const startCloud = (id: string) =>
    startEntra({
      id,
      ...registration,
      redirectUris: [`${publicUrl}/login/callback/entra`],
      consentRedirectUri: `${publicUrl}/passport/connect/entra/adminconsent/callback`,
    })
  const clouds = { open: await startCloud('AzurePublic'), china: await startCloud('AzureChina') }
  const client = { clientId: 'passport-at-harbour', clientSecret: 'the client secret at Harbour ID' }
  const harbour = await startOidcProvider({ ...client, redirectUri: `${publicUrl}/login/callback/harbour` })
  for (const { stop } of [clouds.open, clouds.china, harbour]) onFileEnd(stop)
  const settings = {
    PORT: String(port),
    ENTRA_CLOUDS: JSON.stringify([
      { id: 'AzurePublic', authority: clouds.open.authority, graph: clouds.open.graph, ...registration },
      { id: 'AzureChina', authority: clouds.china.authority, graph: clouds.china.graph, ...registration },
    ]),
    IDENTITY_PROVIDERS: JSON.stringify([
      { id: 'local', kind: 'local', name: 'Passport' },
      { ...client, id: 'harbour', kind: 'oidc', name: 'Harbour ID', issuer: harbour.issuer, signUp: 'open' },
    ]),
    ...env,
  }
  return { service: await startTestService(settings), harbour, clouds, env: settings }
}

interface TestOrg {
  name: string
  domains?: string[]
  /** Domains that are not verified. */
  pending?: string[]
  tenant?: { id: string; cloud: string; isEnabled: boolean }
  isDeleted?: boolean
}

let serial = 0

/** Adds an organisation to the database; returns its id. */
export async function addOrg(sql: Sql, { name, domains = [], pending = [], tenant, isDeleted }: TestOrg) {
  const id = `discovered-${++serial}`
  await sql`
    insert into orgs (id, name, slug, kind, deleted_at)
    values (${id}, ${name}, ${id}, ${tenant ? 'entra' : 'standard'}, ${isDeleted ? new Date().toISOString() : null})`
  const rows = [
    ...domains.map((domain) => ({ domain, status: 'verified' })),
    ...pending.map((domain) => ({ domain, status: 'pending' })),
  ]
  for (const { domain, status } of rows)
    await sql`
      insert into org_domains (org_id, domain, status, challenge, verified_at)
      values (${id}, ${domain}, ${status}, ${domain}, ${status === 'verified' ? new Date().toISOString() : null})`
  if (tenant)
    await sql`
      insert into entra_connections (org_id, tenant_id, cloud, display_name, consent, sign_in_enabled)
      values (${id}, ${tenant.id}, ${tenant.cloud}, ${name}, 'granted', ${tenant.isEnabled})`
  return id
}
