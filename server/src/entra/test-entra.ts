import { type EntraTenant, type RunningEntra, startEntra } from '@passport/world/entra/entra'
import { guidOf } from '@passport/world/entra/tenants'
import { findFreePort } from '@passport/world/port'
import { onFileEnd } from '../test-cleanups.ts'
import { startTestService, type TestDatabaseOptions, type TestService, type Visitor } from '../test-service.ts'
import { consentCallbackPath } from './create.ts'

/** A service with a simulated Microsoft Entra. */
export interface EntraService {
  service: TestService
  /** The cloud `AzurePublic`. */
  entra: RunningEntra
  /** The other clouds, by id. */
  clouds: Record<string, RunningEntra>
  /** An administrator. */
  ada: Visitor
}

interface EntraServiceOptions extends TestDatabaseOptions {
  /** The ids of further clouds. */
  otherClouds?: string[]
  /** The operator's own tenants, by the id of the cloud; each consents. Without one the names of tenants are unknown. */
  homeTenants?: Record<string, string>
  env?: Record<string, string>
  /** The port of the service; a free one by default. */
  port?: number
  /** The tenants of `AzurePublic`; those of the demo world by default. */
  tenants?: EntraTenant[]
}

const client = { clientId: '5f0c1f6e-5c3e-4d3b-9a53-3f6f0f5d2a11', clientSecret: 'the secret of the registration' }

/** Starts the service with `AzurePublic` and other clouds. Stops after the tests of the file. */
export async function startEntraService(options: EntraServiceOptions = {}): Promise<EntraService> {
  const { otherClouds = [], homeTenants = {}, env = {}, tenants, port = await findFreePort(), ...database } = options
  const publicUrl = `http://localhost:${port}`
  const start = async (id: string) => {
    const redirects = {
      redirectUris: [`${publicUrl}/login/callback/entra`],
      consentRedirectUri: publicUrl + consentCallbackPath,
    }
    const own = id === 'AzurePublic' && tenants ? { tenants } : {}
    const cloud = await startEntra({ id, ...client, ...redirects, ...own })
    onFileEnd(cloud.stop)
    const homeTenant = homeTenants[id]
    if (homeTenant) cloud.grantConsent(homeTenant)
    return cloud
  }
  const entra = await start('AzurePublic')
  const clouds: Record<string, RunningEntra> = { AzurePublic: entra }
  for (const id of otherClouds) clouds[id] = await start(id)
  const registrations = Object.entries(clouds).map(([id, { authority, graph }]) => ({
    id,
    authority,
    graph,
    tenantId: homeTenants[id],
    ...client,
  }))
  const service = await startTestService(
    { PORT: String(port), ENTRA_CLOUDS: JSON.stringify(registrations), ...env },
    database,
  )
  return { service, entra, clouds, ada: await service.as('ada') }
}

/** Returns a tenant without people, with a domain of its own. */
export const createTenant = (number: number): EntraTenant => ({
  id: guidOf(`tenant ${number}`),
  displayName: `Company ${number}`,
  defaultDomain: `company-${number}.example`,
  verifiedDomains: [`company-${number}.example`],
  people: [],
})

/** An answer of an administrator of the tenant on the consent page. */
interface ConsentAnswer {
  decision?: 'accept' | 'cancel'
  fault?: string
}

/**
 * Answers a consent link like a browser, up to the redirect back to the service, whose URL it returns.
 */
export async function answerConsent(consentUrl: string, { decision = 'accept', fault }: ConsentAnswer = {}) {
  const response = await fetch(consentUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ decision, ...(fault && { fault }) }),
  })
  const location = response.headers.get('location')
  if (!location) throw new Error(`The consent page responds with ${response.status}: ${await response.text()}`)
  return location
}
