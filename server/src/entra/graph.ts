import * as z from 'zod/mini'
import type { EntraCloud } from '../config.ts'
import type { HttpClient } from '../http/http-client.ts'
import { toStorableText } from '../http/storable-text.ts'

/** Why a request to Microsoft Entra or to Microsoft Graph failed. */
export type GraphFailureCode =
  /** The tenant has not consented, or no longer does: `unauthorized_client`. */
  | 'not-consented'
  /** The registration of Passport in the cloud is wrong, such as its secret. */
  | 'misconfigured'
  /** The application lacks the permission that the call requires. */
  | 'permission-missing'
  | 'not-found'
  | 'unavailable'

/** Thrown by the calls of this file. `permission` is the missing one. */
export class GraphFailure extends Error {
  readonly code: GraphFailureCode
  readonly permission: string | null
  constructor(code: GraphFailureCode, detail: string, permission: string | null = null) {
    super(detail)
    this.name = 'GraphFailure'
    this.code = code
    this.permission = permission
  }
}

interface Asked {
  httpClient: HttpClient
  cloud: EntraCloud
  signal?: AbortSignal
}

const TokenResponse = z.object({ access_token: z.string().check(z.minLength(1)) })
const TokenError = z.object({ error: z.string(), error_description: z.optional(z.string()) })

/**
 * Requests a token of the application in a tenant (RFC 6749, section 4.4): only an administrator's consent makes the
 * tenant issue one. Throws `GraphFailure`.
 */
export async function requestAppToken(asked: Asked, tenantId: string): Promise<string> {
  const { authority, clientId, clientSecret, graph } = asked.cloud
  const { status, body } = await send(asked, `${authority}/${tenantId}/oauth2/v2.0/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      scope: `${graph}/.default`,
    }),
  })
  if (status === 200) {
    const { data } = z.safeParse(TokenResponse, body)
    if (data) return data.access_token
    throw new GraphFailure('unavailable', 'the token response has no access token')
  }
  const { data } = z.safeParse(TokenError, body)
  if (!data || status >= 500 || status === 429) throw new GraphFailure('unavailable', `the token endpoint: ${status}`)
  // The AADSTS number in the description may change, so only `error` counts.
  const code = data.error === 'unauthorized_client' ? 'not-consented' : 'misconfigured'
  throw new GraphFailure(code, toStorableText(`${data.error}: ${data.error_description ?? ''}`, 500))
}

/** What a tenant says about itself. */
export interface Organization {
  id: string
  displayName: string
  defaultDomain: string | null
  verifiedDomains: string[]
}

const OrganizationResponse = z.object({
  value: z.tuple([
    z.object({
      id: z.string(),
      displayName: z.nullish(z.string()),
      verifiedDomains: z.array(z.object({ name: z.string(), isDefault: z.optional(z.boolean()) })),
    }),
  ]),
})

/** Reads the record of the tenant that issued the token (`GET /organization`). Throws `GraphFailure`. */
export async function readOrganization(asked: Asked, token: string): Promise<Organization> {
  const body = await get(asked, '/v1.0/organization', token, 'Organization.Read.All')
  const { data } = z.safeParse(OrganizationResponse, body)
  if (!data) throw new GraphFailure('unavailable', 'the response of /organization is not as documented')
  const [{ id, displayName, verifiedDomains }] = data.value
  const defaultDomain = verifiedDomains.find(({ isDefault }) => isDefault)?.name ?? null
  return {
    id: id.toLowerCase(),
    displayName: displayName ?? defaultDomain ?? id,
    defaultDomain,
    verifiedDomains: verifiedDomains.map(({ name }) => name),
  }
}

/** The names of any tenant of the cloud. */
export interface TenantNames {
  displayName: string | null
  defaultDomainName: string | null
  federationBrandName: string | null
}

const OptionalName = z.nullish(z.string())
const TenantInformation = z.object({
  tenantId: z.string(),
  displayName: OptionalName,
  defaultDomainName: OptionalName,
  federationBrandName: OptionalName,
})

/** Reads the names of a tenant with a token of another one. Throws `GraphFailure`. */
export async function readTenantNames(asked: Asked, token: string, tenantId: string): Promise<TenantNames> {
  const path = `/v1.0/tenantRelationships/findTenantInformationByTenantId(tenantId='${encodeURIComponent(tenantId)}')`
  const body = await get(asked, path, token, 'CrossTenantInformation.ReadBasic.All')
  const { data } = z.safeParse(TenantInformation, body)
  if (data?.tenantId.toLowerCase() !== tenantId)
    throw new GraphFailure('unavailable', 'the response of findTenantInformationByTenantId is not as documented')
  const { displayName, defaultDomainName, federationBrandName } = data
  return {
    displayName: displayName ?? null,
    defaultDomainName: defaultDomainName ?? null,
    federationBrandName: federationBrandName ?? null,
  }
}

const MemberObjects = z.object({ value: z.array(z.string()) })

/** Lists the ids of all groups of a user of the tenant, by their object id. Throws `GraphFailure`. */
export async function listMemberObjects(asked: Asked, token: string, objectId: string): Promise<string[]> {
  const url = `/v1.0/users/${encodeURIComponent(objectId)}/getMemberObjects`
  const body = await get(asked, url, token, 'GroupMember.Read.All and User.ReadBasic.All', {
    securityEnabledOnly: false,
  })
  const { data } = z.safeParse(MemberObjects, body)
  if (!data) throw new GraphFailure('unavailable', 'the response of getMemberObjects is not as documented')
  return data.value.map((id) => id.toLowerCase())
}

/** Sends a request to Graph, which needs the permission. */
async function get(asked: Asked, path: string, token: string, permission: string, posted?: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, ...(posted && { 'content-type': 'application/json' }) }
  const { status, body } = await send(asked, asked.cloud.graph + path, {
    headers,
    ...(posted && { method: 'POST', body: JSON.stringify(posted) }),
  })
  if (status === 200) return body
  if (status === 403) throw new GraphFailure('permission-missing', `${path}: 403`, permission)
  if (status === 404) throw new GraphFailure('not-found', `${path}: 404`)
  throw new GraphFailure('unavailable', `${path}: ${status}`)
}

async function send(
  { httpClient, signal }: Asked,
  url: string,
  init: Parameters<HttpClient['fetch']>[1],
): Promise<{ status: number; body: unknown }> {
  try {
    const response = await httpClient.fetch(url, { ...init, signal })
    return { status: response.status, body: await response.json().catch(() => undefined) }
  } catch (error) {
    throw new GraphFailure('unavailable', String((error as Error).cause ?? error))
  }
}
