import { Hono } from 'hono'
import { serveApp } from '../serve-app.ts'
import { type Cloud, type EntraOptions, type GraphPermission, graphPermissions, hostsOf } from './cloud.ts'
import { serveConsent } from './consent.ts'
import { createConsents } from './consents.ts'
import { serveControls } from './controls.ts'
import type { EntraTenant } from './directory.ts'
import { type EntraFault, type FaultOptions, isFault } from './faults.ts'
import { serveGraph } from './graph.ts'
import { createKeys } from './keys.ts'
import { serveMetadata } from './metadata.ts'
import { renderControlPage } from './pages.ts'
import { createProvisioning, type ProvisioningService } from './provisioning.ts'
import { respondWithFault } from './respond-with-fault.ts'
import { serveSignIn } from './sign-in.ts'
import { allTenants } from './tenants.ts'
import { createTokens } from './tokens.ts'

export type { EntraOptions, GraphPermission } from './cloud.ts'
export type { EntraGroup, EntraPerson, EntraTenant } from './directory.ts'
export type { EntraFault, FaultOptions } from './faults.ts'

export interface RunningEntra {
  authority: string
  /** The base URL of Graph, which is served by the same server. */
  graph: string
  /** The tenants; they may be changed at any time. Tests can add the metadata of a tenant in another cloud (`home`). */
  tenants: EntraTenant[]
  /** Replaces the current fault; `none` ends it. */
  setFault: (fault: EntraFault, options?: FaultOptions) => void
  /** Grants the application these permissions of Graph in a tenant, by default all. */
  grantConsent: (tenantId: string, permissions?: GraphPermission[]) => void
  /** Removes the application from a tenant. Access tokens remain valid until they expire, as in Entra. */
  revokeConsent: (tenantId: string) => void
  /** The requests since the start, without those of the control page. */
  requests: { method: string; path: string }[]
  /** Provisions the tenants by SCIM. */
  provisioning: ProvisioningService
  stop: () => Promise<void>
}

/**
 * Starts a simulated cloud of Microsoft Entra: metadata, sign-in, admin consent and Graph for one registered
 * application. Its control page, `/`, has the tenants and the faults.
 */
export async function startEntra(options: EntraOptions): Promise<RunningEntra> {
  const id = options.id ?? 'AzurePublic'
  const requests: { method: string; path: string }[] = []
  const tenants = options.tenants ?? structuredClone(allTenants[id] ?? [])
  const cloud: Cloud = {
    options,
    hosts: hostsOf(id),
    authority: '',
    graph: '',
    tenants,
    consents: createConsents(options.consentFile),
    fault: { name: 'none', options: {} },
    keys: createKeys(id),
    provisioning: createProvisioning(tenants, options.provisionEverySeconds ?? 0),
  }
  const tokens = createTokens(cloud)
  const app = new Hono()

  app.get('/', (c) => c.html(renderControlPage(cloud)))
  app.post('/control/fault', async (c) => {
    const { fault } = await c.req.parseBody()
    if (isFault(fault)) setFault(fault)
    return c.redirect('/', 303)
  })
  app.post('/control/consent', async (c) => {
    const { tenant, decision, permission = [] } = await c.req.parseBody({ all: true })
    if (decision === 'revoke') cloud.consents.delete(String(tenant))
    else
      cloud.consents.set(
        String(tenant),
        graphPermissions.filter((name) => [permission].flat().includes(name)),
      )
    return c.redirect('/', 303)
  })

  serveControls(app, cloud)
  app.use((c, next) => {
    requests.push({ method: c.req.method, path: c.req.path })
    return next()
  })
  app.use(respondWithFault(cloud))
  serveMetadata(app, cloud)
  serveSignIn(app, cloud, tokens)
  serveConsent(app, cloud)
  serveGraph(app, cloud, tokens)
  app.post('/:tenant/oauth2/v2.0/token', (c) => tokens.handleToken(c, c.req.param('tenant')))

  const served = await serveApp(app, options.port)
  cloud.authority = `http://localhost:${served.port}`
  cloud.graph = `${cloud.authority}/graph`
  return {
    authority: cloud.authority,
    graph: cloud.graph,
    tenants: cloud.tenants,
    setFault,
    grantConsent: (tenantId, permissions = [...graphPermissions]) => {
      cloud.consents.set(tenantId, permissions)
    },
    revokeConsent: (tenantId) => {
      cloud.consents.delete(tenantId)
    },
    requests,
    provisioning: cloud.provisioning,
    stop: () => {
      cloud.provisioning.close()
      return served.stop()
    },
  }

  function setFault(name: EntraFault, faultOptions: FaultOptions = {}) {
    cloud.fault = { name, options: { ...faultOptions } }
  }
}
