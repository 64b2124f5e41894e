import type { Context, Hono } from 'hono'
import { type Cloud, findByName, findFault, findOtherTenantId, findTenant, hostsOf, issuerOf } from './cloud.ts'
import { entraErrors, sendError } from './errors.ts'

/** Serves the metadata, the keys and the realm of a user, without authentication. */
export function serveMetadata(app: Hono, cloud: Cloud) {
  app.get('/:tenant/v2.0/.well-known/openid-configuration', (c) =>
    withTenant(c, (tenantId, segment) => {
      const tenant = findByName(cloud.tenants, tenantId)
      const changed = findFault(cloud, 'metadata-issuer-changed', tenant?.id)
      const issuerTenantId = changed ? findOtherTenantId(cloud, changed, tenantId) : tenantId
      const { authority } = tenant?.home ?? cloud
      const hosts = tenant?.home ? hostsOf(tenant.home.id) : cloud.hosts
      const endpoint = (path: string) => `${authority}/${segment}${path}`
      return c.json({
        token_endpoint: endpoint('/oauth2/v2.0/token'),
        token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
        jwks_uri: endpoint('/discovery/v2.0/keys'),
        response_modes_supported: ['query', 'fragment', 'form_post'],
        subject_types_supported: ['pairwise'],
        id_token_signing_alg_values_supported: ['RS256'],
        response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
        scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
        issuer: issuerOf({ authority }, issuerTenantId),
        request_uri_parameter_supported: false,
        userinfo_endpoint: `${authority}/graph/oidc/userinfo`,
        authorization_endpoint: endpoint('/oauth2/v2.0/authorize'),
        device_authorization_endpoint: endpoint('/oauth2/v2.0/devicecode'),
        http_logout_supported: true,
        frontchannel_logout_supported: true,
        end_session_endpoint: endpoint('/oauth2/v2.0/logout'),
        claims_supported: [
          ...['sub', 'iss', 'cloud_instance_name', 'cloud_instance_host_name', 'cloud_graph_host_name', 'msgraph_host'],
          ...['aud', 'exp', 'iat', 'auth_time', 'acr', 'nonce', 'preferred_username', 'name', 'tid', 'ver', 'at_hash'],
          ...['c_hash', 'email'],
        ],
        kerberos_endpoint: endpoint('/kerberos'),
        tenant_region_scope: tenant ? (tenant.region ?? 'EU') : null,
        ...(tenant?.subScope && { tenant_region_sub_scope: tenant.subScope }),
        cloud_instance_name: hosts.instance,
        cloud_graph_host_name: hosts.cloudGraph,
        msgraph_host: hosts.msGraph,
        rbac_url: hosts.rbacUrl,
      })
    }),
  )
  app.get('/:tenant/discovery/v2.0/keys', (c) =>
    withTenant(c, async (tenantId) => {
      const mismatch = findFault(cloud, 'key-issuer-mismatch', tenantId)
      const issuer = issuerOf(cloud, mismatch ? findOtherTenantId(cloud, mismatch, tenantId) : tenantId)
      const isRotated = findFault(cloud, 'rotated-key') !== undefined
      const keys = await cloud.keys.listPublished(
        isRotated ? ['current', 'next'] : ['current'],
        issuer,
        cloud.hosts.instance,
      )
      return c.json({ keys })
    }),
  )
  app.get('/getuserrealm.srf', (c) => {
    const { login = '', xml } = c.req.query()
    const realm = describeRealm(cloud, login)
    if (xml !== '1') return c.json(realm)
    const elements = Object.entries(realm).map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`)
    return c.body(`<RealmInfo Success="true">${elements.join('')}</RealmInfo>`, 200, { 'content-type': 'text/xml' })
  })

  /** Responds for a tenant, or for the template that `organizations` has; unknown tenants are an error. */
  function withTenant(
    c: Context,
    respond: (tenantId: string, segment: string) => Response | Promise<Response>,
  ): Response | Promise<Response> {
    const name = c.req.param('tenant') ?? ''
    if (name === 'organizations') return respond('{tenantid}', name)
    const tenant = findByName(cloud.tenants, name)
    return tenant ? respond(tenant.id, tenant.id) : sendError(c, cloud, entraErrors.tenantNotFound(name))
  }
}

function describeRealm(cloud: Cloud, login: string): Record<string, string | number> {
  const domain = login.split('@').at(-1)?.toLowerCase() ?? ''
  const tenant = findTenant(cloud, domain)
  if (!tenant) return { State: 4, UserState: 1, Login: login, NameSpaceType: 'Unknown' }
  return {
    State: tenant.federated ? 3 : 4,
    UserState: tenant.federated ? 2 : 1,
    Login: login,
    NameSpaceType: tenant.federated ? 'Federated' : 'Managed',
    DomainName: domain,
    ...(tenant.federated && {
      FederationGlobalVersion: -1,
      AuthURL: `https://sts.${tenant.defaultDomain}/adfs/ls/?username=${encodeURIComponent(login)}&wa=wsignin1.0&wtrealm=${encodeURIComponent(cloud.hosts.federation)}&wctx=`,
    }),
    FederationBrandName: tenant.displayName,
    ...(tenant.federated && { AuthNForwardType: 1 }),
    CloudInstanceName: cloud.hosts.instance,
    CloudInstanceIssuerUri: cloud.hosts.federation,
  }
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
