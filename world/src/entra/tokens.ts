import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Context } from 'hono'
import {
  type Cloud,
  findFault,
  findOtherTenantId,
  findTenant,
  type GraphPermission,
  issuerOf,
  listGroupIds,
  now,
} from './cloud.ts'
import type { EntraPerson, EntraTenant } from './directory.ts'
import { type EntraError, entraErrors, sendError } from './errors.ts'

/** An authorization request that a person granted. */
export interface Grant {
  tenant: EntraTenant
  person: EntraPerson
  redirectUri: string
  nonce: string | undefined
  codeChallenge: string | undefined
  expiresAt: number
}

/** An access token of Graph: of an application, with its permissions, or of a person. */
export interface GraphToken {
  tenantId: string
  permissions: GraphPermission[]
  person: EntraPerson | undefined
  expiresAt: number
}

export interface Tokens {
  issueCode: (grant: Omit<Grant, 'expiresAt'>) => string
  /** Handles a token request (RFC 6749, section 3.2) at a tenant or at `organizations`. */
  handleToken: (c: Context, tenantName: string) => Promise<Response>
  /** Returns the access token with this value, unless it expired. */
  findGraphToken: (value: string) => GraphToken | undefined
}

const codeSeconds = 600
const tokenSeconds = 3600
/** Entra dates its tokens five minutes back, for clients with slow clocks. */
const backdatedSeconds = 300
/** More groups than this are replaced by a reference to Graph. */
const groupLimit = 200
/** The tenant of consumer accounts, from which the guests come. */
const guestTenantId = '9188040d-6c67-4c5b-b112-36a304b66dad'

export function createTokens(cloud: Cloud): Tokens {
  const grants = new Map<string, Grant>()
  const usedCodes = new Set<string>()
  const graphTokens = new Map<string, GraphToken>()
  const { clientId, clientSecret } = cloud.options

  async function handleToken(c: Context, tenantName: string): Promise<Response> {
    const form = (await c.req.parseBody()) as Record<string, string>
    const tenant = tenantName === 'organizations' ? undefined : findTenant(cloud, tenantName)
    if (!tenant && tenantName !== 'organizations') return sendError(c, cloud, entraErrors.tenantNotFound(tenantName))
    const client = readClient(c.req.header('authorization'), form)
    if (client.id !== clientId)
      return sendError(c, cloud, entraErrors.applicationNotFound(client.id ?? '', tenant?.displayName ?? tenantName))
    if (client.secret !== clientSecret) return sendError(c, cloud, entraErrors.invalidSecret(clientId))
    const grantType = form['grant_type'] ?? ''
    if (grantType === 'authorization_code') return redeemCode(c, form, tenant)
    if (grantType === 'client_credentials') return issueAppToken(c, form, tenant)
    return sendError(
      c,
      cloud,
      grantType ? entraErrors.unsupportedGrant(grantType) : entraErrors.missingParameter('grant_type'),
    )
  }

  async function redeemCode(c: Context, form: Record<string, string>, tenant: EntraTenant | undefined) {
    const code = form['code'] ?? ''
    const grant = grants.get(code)
    const error = findCodeError(form, grant, tenant)
    if (error || !grant) return sendError(c, cloud, error ?? entraErrors.codeUsed())
    usedCodes.add(code)
    return c.json({
      token_type: 'Bearer',
      scope: 'openid profile email',
      expires_in: tokenSeconds - 1,
      ext_expires_in: tokenSeconds - 1,
      access_token: await issueGraphToken(grant.tenant, [], grant.person),
      id_token: await issueIdToken(cloud, grant),
    })
  }

  function findCodeError(
    form: Record<string, string>,
    grant: Grant | undefined,
    tenant: EntraTenant | undefined,
  ): EntraError | undefined {
    const code = form['code']
    if (!code) return entraErrors.missingParameter('code')
    if (usedCodes.has(code) || !grant || (tenant && tenant !== grant.tenant)) return entraErrors.codeUsed()
    if (grant.expiresAt < now()) return entraErrors.codeExpired()
    if (form['redirect_uri'] !== grant.redirectUri) return entraErrors.wrongRedirectUri()
    const challenge = createHash('sha256')
      .update(form['code_verifier'] ?? '')
      .digest('base64url')
    return grant.codeChallenge === undefined || challenge === grant.codeChallenge
      ? undefined
      : entraErrors.wrongVerifier()
  }

  async function issueAppToken(c: Context, form: Record<string, string>, tenant: EntraTenant | undefined) {
    const scope = form['scope']
    if (!tenant) return sendError(c, cloud, entraErrors.noTenant())
    if (!scope) return sendError(c, cloud, entraErrors.missingParameter('scope'))
    const resource = /^(\S+)\/\.default$/.exec(scope)?.[1]
    if (!resource) return sendError(c, cloud, entraErrors.invalidScope(scope))
    if (![cloud.graph, `https://${cloud.hosts.msGraph}`].includes(resource.replace(/\/$/, '')))
      return sendError(c, cloud, entraErrors.resourceNotFound(resource, tenant.displayName))
    const permissions = cloud.consents.get(tenant.id)
    if (!permissions) return sendError(c, cloud, entraErrors.applicationNotFound(clientId, tenant.displayName))
    return c.json({
      token_type: 'Bearer',
      expires_in: tokenSeconds - 1,
      ext_expires_in: tokenSeconds - 1,
      access_token: await issueGraphToken(tenant, permissions),
    })
  }

  /** Issues an access token. Graph knows it by its value; its permissions are those at this moment. */
  async function issueGraphToken(tenant: EntraTenant, permissions: GraphPermission[], person?: EntraPerson) {
    const issuedAt = now() - backdatedSeconds
    const expiresAt = now() + tokenSeconds
    const claims = {
      aud: `https://${cloud.hosts.msGraph}`,
      iss: `https://sts.windows.net/${tenant.id}/`,
      iat: issuedAt,
      nbf: issuedAt,
      exp: expiresAt,
      appid: clientId,
      idtyp: person ? 'user' : 'app',
      tid: tenant.id,
      uti: randomBytes(16).toString('base64url'),
      ver: '1.0',
      ...(person ? { oid: person.oid, scp: 'openid profile email' } : { roles: permissions }),
    }
    const token = await cloud.keys.sign(claims, 'current')
    graphTokens.set(token, { tenantId: tenant.id, permissions: [...permissions], person, expiresAt })
    return token
  }

  return {
    issueCode: (grant) => {
      const code = `1.${randomUUID()}`
      grants.set(code, { ...grant, expiresAt: now() + codeSeconds })
      return code
    },
    handleToken,
    findGraphToken: (value) => {
      const token = graphTokens.get(value)
      return token && token.expiresAt > now() ? token : undefined
    },
  }
}

/** Issues the ID token of a grant, with the fault of the cloud. */
function issueIdToken(cloud: Cloud, grant: Grant): Promise<string> {
  const { tenant } = grant
  const has = (name: Parameters<typeof findFault>[1]) => findFault(cloud, name, tenant.id) !== undefined
  const claims = buildIdClaims(cloud, grant)
  if (has('forged-signature')) return cloud.keys.sign(claims, 'forged', 'current')
  if (has('unpublished-key')) return cloud.keys.sign(claims, 'forged')
  return cloud.keys.sign(claims, has('rotated-key') ? 'next' : 'current')
}

/** Returns the claims of an ID token, version 2.0. */
function buildIdClaims(cloud: Cloud, { tenant, person, nonce }: Grant): Record<string, unknown> {
  const find = (name: Parameters<typeof findFault>[1]) => findFault(cloud, name, tenant.id)
  const isGuest = person.guest || find('guest') !== undefined
  const foreign = find('foreign-tid')
  const wrongIssuer = find('wrong-token-issuer')
  return {
    aud: find('wrong-audience') ? randomUUID() : cloud.options.clientId,
    iss: issuerOf(cloud, wrongIssuer ? findOtherTenantId(cloud, wrongIssuer, tenant.id) : tenant.id),
    ...findTimes(cloud, tenant),
    ...(find('auth-time') && { auth_time: now() }),
    acct: isGuest ? 1 : 0,
    ...(isGuest && { idp: `https://sts.windows.net/${guestTenantId}/` }),
    name: person.name,
    preferred_username: isGuest ? person.email : person.upn,
    email: person.email,
    ...(nonce !== undefined && { nonce: find('wrong-nonce') ? 'another-nonce' : nonce }),
    ...(!find('missing-oid') && { oid: person.oid }),
    ...buildGroupClaims(cloud, tenant, person),
    ...(person.roles && { roles: person.roles }),
    sub: createHash('sha256').update(`${cloud.options.clientId} ${tenant.id} ${person.oid}`).digest('base64url'),
    tid: foreign ? findOtherTenantId(cloud, foreign, tenant.id) : tenant.id,
    uti: randomBytes(16).toString('base64url'),
    ver: '2.0',
  }
}

/** Returns `iat`, `nbf` and `exp`. */
function findTimes(cloud: Cloud, { id }: EntraTenant) {
  const secondsOf = (name: Parameters<typeof findFault>[1], seconds: number) => {
    const fault = findFault(cloud, name, id)
    return fault && (fault.seconds ?? seconds)
  }
  const ahead = secondsOf('clock-ahead', 290) ?? secondsOf('clock-far-ahead', 310)
  const expired = secondsOf('expired', 290) ?? secondsOf('long-expired', 310)
  const issuedAt = now() + (ahead ?? -backdatedSeconds) - (expired === undefined ? 0 : expired + tokenSeconds)
  return { iat: issuedAt, nbf: issuedAt, exp: issuedAt + backdatedSeconds + tokenSeconds }
}

/** Returns `groups`, or the reference to Graph that replaces more than 200 of them. */
function buildGroupClaims(cloud: Cloud, tenant: EntraTenant, person: EntraPerson) {
  const groups = listGroupIds(tenant, person)
  const isReferred =
    groups.length > groupLimit ||
    findFault(cloud, 'overage', tenant.id) !== undefined ||
    findFault(cloud, 'overage-refused', tenant.id) !== undefined
  if (findFault(cloud, 'overage-implicit', tenant.id)) return { hasgroups: true }
  if (!isReferred) return groups.length > 0 ? { groups } : {}
  const endpoint = `https://${cloud.hosts.cloudGraph}/${tenant.id}/users/${person.oid}/getMemberObjects`
  return { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint } } }
}

/** Returns the client of a token request, by client_secret_basic or client_secret_post. */
function readClient(header: string | undefined, form: Record<string, string>) {
  const basic = Buffer.from(/^Basic (.+)$/.exec(header ?? '')?.[1] ?? '', 'base64').toString()
  if (!basic) return { id: form['client_id'], secret: form['client_secret'] }
  // Id and secret are form-encoded before they are joined (RFC 6749, section 2.3.1).
  const [id = '', secret = ''] = basic.split(':').map((text) => decodeURIComponent(text.replaceAll('+', ' ')))
  return { id, secret }
}
