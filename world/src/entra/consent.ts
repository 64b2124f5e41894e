import type { Context, Hono } from 'hono'
import { type Cloud, findFault, findOtherTenantId, findTenant, graphPermissions } from './cloud.ts'
import { describeError, type EntraError, entraErrors } from './errors.ts'
import { isFault } from './faults.ts'
import { renderConsentPage, renderErrorPage } from './pages.ts'

const path = '/:tenant/v2.0/adminconsent'

/** Serves the page on which an administrator of a tenant grants the application permissions, and its form. */
export function serveConsent(app: Hono, cloud: Cloud) {
  app.get(path, (c) => {
    const query = c.req.query()
    const error = findRequestError(c, query)
    return error ? c.html(renderErrorPage(error), 400) : c.html(renderConsentPage(cloud, query, listTenants(c)))
  })

  app.post(path, async (c) => {
    const form = (await c.req.parseBody()) as Record<string, string>
    const query = { ...c.req.query(), ...form }
    const error = findRequestError(c, query)
    if (error) return c.html(renderErrorPage(error), 400)
    if (isFault(form['fault']) && form['fault'] !== cloud.fault.name) cloud.fault = { name: form['fault'], options: {} }
    const tenant = findTenant(cloud, form['consenting'] ?? '') ?? listTenants(c)[0]
    const isAccepted = form['decision'] === 'accept' && tenant && !findFault(cloud, 'consent-denied', tenant.id)
    if (!isAccepted) return redirectWith(c, query, buildDenial())
    const forged = findFault(cloud, 'forged-consent-tenant', tenant.id)
    const withheld = findFault(cloud, 'no-organization-permission', tenant.id) ? 'Organization.Read.All' : ''
    const permissions = graphPermissions.filter((permission) => permission !== withheld)
    if (!forged) cloud.consents.set(tenant.id, permissions)
    return redirectWith(c, query, {
      admin_consent: 'True',
      tenant: forged ? findOtherTenantId(cloud, forged, tenant.id) : tenant.id,
      scope: permissions.map((permission) => `https://${cloud.hosts.msGraph}/${permission}`).join(' '),
    })
  })

  /** Returns the error of a request that must not be redirected. */
  function findRequestError(c: Context, query: Record<string, string>): EntraError | undefined {
    const { clientId, consentRedirectUri } = cloud.options
    const tenantName = c.req.param('tenant') ?? ''
    if (tenantName !== 'organizations' && !findTenant(cloud, tenantName)) return entraErrors.tenantNotFound(tenantName)
    if (query['client_id'] !== clientId) return entraErrors.applicationNotFound(query['client_id'] ?? '', tenantName)
    const redirectUri = query['redirect_uri'] ?? ''
    if (redirectUri !== consentRedirectUri) return entraErrors.invalidRedirectUri(redirectUri, clientId)
    return query['scope'] ? undefined : entraErrors.missingParameter('scope')
  }

  function listTenants(c: Context) {
    const tenant = findTenant(cloud, c.req.param('tenant') ?? '')
    return tenant ? [tenant] : cloud.tenants.filter(({ home }) => !home)
  }
}

/** Returns the parameters of a denied consent. They repeat `admin_consent`, as those of Entra do. */
function buildDenial() {
  const error = entraErrors.declined()
  return { error: error.error, error_description: describeError(error).description, admin_consent: 'True' }
}

function redirectWith(c: Context, query: Record<string, string>, parameters: Record<string, string>): Response {
  const target = new URL(query['redirect_uri'] ?? '')
  const state = query['state']
  for (const [name, value] of Object.entries({ ...parameters, ...(state !== undefined && { state }) }))
    target.searchParams.set(name, value)
  return c.redirect(target.href, 302)
}
