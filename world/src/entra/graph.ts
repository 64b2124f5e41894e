import type { Context, Hono } from 'hono'
import { type Cloud, findFault, findPerson, findTenant, type GraphPermission, listGroupIds } from './cloud.ts'
import type { EntraTenant } from './directory.ts'
import { sendGraphError } from './errors.ts'
import type { GraphToken, Tokens } from './tokens.ts'

/** `getMemberObjects` returns no more ids than this. */
const memberLimit = 11_000
const defaultPageSize = 100
const maxPageSize = 999

/** Serves the part of Microsoft Graph that an application calls with an app-only token, under `/graph`. */
export function serveGraph(app: Hono, cloud: Cloud, tokens: Tokens) {
  app.get('/graph/v1.0/organization', (c) =>
    withPermissions(c, ['Organization.Read.All'], (tenant) =>
      sendCollection(c, 'organization', [describeOrganization(tenant)]),
    ),
  )

  app.get('/graph/v1.0/tenantRelationships/:call', (c) =>
    withPermissions(c, ['CrossTenantInformation.ReadBasic.All'], () => {
      const call = decodeURIComponent(c.req.param('call'))
      const [, name] =
        /^findTenantInformationBy(?:DomainName\(domainName|TenantId\(tenantId)='([^']+)'\)$/.exec(call) ?? []
      const tenant = name && findTenant(cloud, name)
      if (!tenant)
        return sendGraphError(
          c,
          404,
          'Directory_ObjectNotFound',
          'Unable to read the company information from the directory.',
        )
      return c.json({
        '@odata.context': contextOf('microsoft.graph.tenantInformation'),
        tenantId: tenant.id,
        federationBrandName: tenant.federated ? tenant.displayName : null,
        displayName: tenant.displayName,
        defaultDomainName: tenant.defaultDomain,
      })
    }),
  )

  app.post('/graph/v1.0/users/:oid/getMemberObjects', (c) =>
    withMember(c, (ids) => {
      if (ids.length > memberLimit)
        return sendGraphError(
          c,
          400,
          'Directory_ResultSizeLimitExceeded',
          'The specified directory service limit has been exceeded.',
        )
      return sendCollection(c, 'Collection(Edm.String)', ids)
    }),
  )
  for (const path of ['/transitiveMemberOf', '/transitiveMemberOf/microsoft.graph.group'])
    app.get(`/graph/v1.0/users/:oid${path}`, (c) =>
      withMember(c, (ids, { groups = [] }) =>
        sendPage(
          c,
          'directoryObjects',
          ids.map((id) => ({
            '@odata.type': '#microsoft.graph.group',
            id,
            displayName: groups.find((group) => group.id === id)?.displayName ?? null,
          })),
        ),
      ),
    )
  app.get('/graph/v1.0/groups', (c) =>
    withPermissions(c, ['GroupMember.Read.All'], ({ groups = [] }) =>
      sendPage(
        c,
        'groups',
        groups.map(({ id, displayName }) => ({ id, displayName, securityEnabled: true })),
      ),
    ),
  )
  app.get('/graph/v1.0/me', (c) =>
    withToken(c, ({ person }) => {
      if (!person)
        return sendGraphError(c, 400, 'BadRequest', '/me request is only valid with delegated authentication flow.')
      return c.json({ id: person.oid, displayName: person.name, mail: person.email, userPrincipalName: person.upn })
    }),
  )
  app.get('/graph/oidc/userinfo', (c) =>
    withToken(c, ({ person }) => c.json({ sub: person?.oid, name: person?.name, email: person?.email })),
  )

  function withToken(c: Context, respond: (token: GraphToken) => Response): Response {
    const [, value] = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '') ?? []
    const token = value && tokens.findGraphToken(value)
    if (token) return respond(token)
    const message = value ? 'Access token validation failure.' : 'Access token is empty.'
    return sendGraphError(c, 401, 'InvalidAuthenticationToken', message)
  }

  /** Responds for the tenant of an app-only token that has all these permissions. */
  function withPermissions(
    c: Context,
    required: GraphPermission[],
    respond: (tenant: EntraTenant) => Response,
  ): Response {
    return withToken(c, ({ tenantId, permissions }) => {
      const tenant = findTenant(cloud, tenantId)
      if (!tenant || !required.every((permission) => permissions.includes(permission)))
        return sendGraphError(
          c,
          403,
          'Authorization_RequestDenied',
          'Insufficient privileges to complete the operation.',
        )
      return respond(tenant)
    })
  }

  /** Responds for the user in the path, with the ids of their groups. */
  function withMember(c: Context, respond: (groupIds: string[], tenant: EntraTenant) => Response): Response {
    return withPermissions(c, ['GroupMember.Read.All', 'User.ReadBasic.All'], (tenant) => {
      const oid = c.req.param('oid') ?? ''
      if (findFault(cloud, 'overage-refused', tenant.id))
        return sendGraphError(
          c,
          403,
          'Authorization_RequestDenied',
          'Insufficient privileges to complete the operation.',
        )
      const person = findPerson(tenant.people, oid)
      if (person) return respond(listGroupIds(tenant, person), tenant)
      const message = `Resource '${oid}' does not exist or one of its queried reference-property objects are not present.`
      return sendGraphError(c, 404, 'Request_ResourceNotFound', message)
    })
  }

  const contextOf = (name: string) => `${cloud.graph}/v1.0/$metadata#${name}`

  const sendCollection = (c: Context, name: string, value: unknown[], nextLink?: string) =>
    c.json({ '@odata.context': contextOf(name), ...(nextLink && { '@odata.nextLink': nextLink }), value })

  /** Sends a page of a collection: `$top` rows, at most 999, and a link to the next ones. */
  function sendPage(c: Context, name: string, rows: object[]): Response {
    const top = Number(c.req.query('$top') ?? defaultPageSize)
    if (!Number.isInteger(top) || top < 1 || top > maxPageSize)
      return sendGraphError(c, 400, 'Request_BadRequest', 'Invalid page size specified: must be between 1 and 999.')
    const from = Number(c.req.query('$skiptoken') ?? 0)
    const query = new URLSearchParams({ ...c.req.query(), $skiptoken: String(from + top) })
    const nextLink = from + top < rows.length ? `${cloud.authority}${c.req.path}?${query}` : undefined
    return sendCollection(c, name, rows.slice(from, from + top), nextLink)
  }
}

const describeOrganization = (tenant: EntraTenant) => ({
  id: tenant.id,
  displayName: tenant.displayName,
  tenantType: 'AAD',
  verifiedDomains: [...new Set([tenant.defaultDomain, ...tenant.verifiedDomains])].map((name, index, names) => ({
    capabilities: 'Email, OfficeCommunicationsOnline',
    isDefault: name === tenant.defaultDomain,
    isInitial: index === Math.max(0, names.findIndex(isInitialDomain)),
    name,
    type: tenant.federated && !isInitialDomain(name) ? 'Federated' : 'Managed',
  })),
})

/** Reports whether a domain is the one that Entra gave the tenant. */
const isInitialDomain = (name: string) => /\.(partner\.)?onms?(icrosoft|china)\./.test(name)
