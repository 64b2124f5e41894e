import * as z from 'zod/mini'
import type { EntraCloud } from '../config.ts'
import type { Services } from '../feature.ts'
import { GraphFailure, readTenantNames, requestAppToken, type TenantNames } from './graph.ts'

/** What every answer of a cloud has. */
interface Asked {
  /** The id of the cloud in the configuration. */
  cloud: string
  authority: string
  elapsedMs: number
}

/** A tenant, by the metadata of its own authority. */
export interface FoundTenant extends Asked, TenantNames {
  found: true
  /** A GUID in lower case. */
  tenantId: string
  issuer: string
  /** Such as `EU`; the sub-scope is that of a government tenant, such as `GCC`. */
  region: string | null
  subScope: string | null
  cloudInstance: string | null
  graphHost: string | null
  endpoints: { authorization: string; token: string; jwks: string }
  /** `Managed` or `Federated`, if the configuration asks for it. */
  namespaceType: string | null
}

/** The answer of a cloud that has no such tenant. */
export interface MissingTenant extends Asked {
  found: false
  /** `invalid_tenant`, or `other_cloud` for a tenant whose authority is in another cloud. */
  error: string
}

/** A cloud that did not answer, or not as documented: whether it has the tenant is unknown. */
export interface UnknownTenant extends Asked {
  found: null
  error: 'timeout' | 'unreachable' | 'answer_invalid' | `http_${number}`
}

/** What a cloud says about a domain or the id of a tenant. */
export type TenantAnswer = FoundTenant | MissingTenant | UnknownTenant

/** The time for all clouds together, below the 5 s that a page may wait. */
const timeoutMs = 4_000

/**
 * Looks for the tenant of a domain, or of a tenant id, in all configured clouds at once: a domain can have a tenant in
 * more than one. Returns an answer for each cloud in the order of the configuration, within 5 s; never throws.
 */
export function findTenants(
  services: Pick<Services, 'config' | 'httpClient'>,
  domainOrTenantId: string,
): Promise<TenantAnswer[]> {
  const signal = AbortSignal.timeout(timeoutMs)
  return Promise.all(services.config.entraClouds.map((cloud) => findTenant(services, cloud, domainOrTenantId, signal)))
}

/** Like `findTenants`, in one cloud, until `signal` aborts. */
async function findTenant(
  { httpClient }: Pick<Services, 'httpClient'>,
  cloud: EntraCloud,
  domainOrTenantId: string,
  signal: AbortSignal,
): Promise<TenantAnswer> {
  const { id, authority } = cloud
  const startedAt = performance.now()
  const asked = () => ({ cloud: id, authority, elapsedMs: Math.round(performance.now() - startedAt) })
  const metadataUrl = `${authority}/${encodeURIComponent(domainOrTenantId)}/v2.0/.well-known/openid-configuration`
  try {
    const response = await httpClient.fetch(metadataUrl, { signal })
    const body: unknown = await response.json().catch(() => undefined)
    if (response.status !== 200) return { ...asked(), ...readRefusal(response.status, body) }
    const { success, data } = z.safeParse(TenantMetadata, body)
    const tenantId = success ? tenantIdOf(data.issuer) : undefined
    const isOther = tenantId !== domainOrTenantId.toLowerCase() && isGuid(domainOrTenantId)
    // Microsoft writes the tenant id in both, whatever name the question has.
    const isConsistent = success && new URL(data.token_endpoint).pathname.split('/')[1]?.toLowerCase() === tenantId
    if (!isConsistent || tenantId === undefined || isOther) return { ...asked(), found: null, error: 'answer_invalid' }
    // The commercial cloud also knows tenants of the other clouds, which sign in at their own authority only.
    if (new URL(data.issuer).origin !== new URL(authority).origin)
      return { ...asked(), found: false, error: 'other_cloud' }
    const found = { ...asked(), found: true as const, tenantId, ...toTenant(data) }
    const request = { httpClient, cloud, signal }
    const [names, namespaceType] = await Promise.all([
      findNames(request, tenantId),
      isGuid(domainOrTenantId) ? null : findNamespaceType(request, domainOrTenantId),
    ])
    return { ...found, ...names, namespaceType }
  } catch {
    return { ...asked(), found: null, error: signal.aborted ? 'timeout' : 'unreachable' }
  }
}

interface CloudRequest extends Pick<Services, 'httpClient'> {
  cloud: EntraCloud
  signal: AbortSignal
}

/** Returns the names of a tenant; null where the configuration or the cloud does not permit it. */
async function findNames(request: CloudRequest, tenantId: string): Promise<TenantNames> {
  const { cloud } = request
  try {
    if (cloud.tenantId !== undefined)
      return await readTenantNames(request, await requestAppToken(request, cloud.tenantId), tenantId)
  } catch (error) {
    if (!(error instanceof GraphFailure)) throw error
  }
  return { displayName: null, defaultDomainName: null, federationBrandName: null }
}

const UserRealm = z.object({ NameSpaceType: z.string() })

/** Returns whether the users of a domain sign in at Microsoft (`Managed`) or elsewhere; null unless it is configured. */
async function findNamespaceType({ httpClient, cloud, signal }: CloudRequest, domain: string): Promise<string | null> {
  if (!cloud.userRealm) return null
  try {
    // The address belongs to nobody: only the domain is the question.
    const login = encodeURIComponent(`tenant-discovery@${domain}`)
    const response = await httpClient.fetch(`${cloud.authority}/getuserrealm.srf?login=${login}&json=1`, { signal })
    return z.safeParse(UserRealm, await response.json()).data?.NameSpaceType ?? null
  } catch {
    return null
  }
}

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Reports whether a text is a GUID, such as the id of a tenant, in either case. */
const isGuid = (text: string): boolean => guid.test(text)

/** Returns the tenant id in an issuer `{authority}/{tenantId}/v2.0`, in lower case. */
function tenantIdOf(issuer: string): string | undefined {
  const [, tenantId = '', version, ...rest] = new URL(issuer).pathname.split('/')
  return isGuid(tenantId) && version === 'v2.0' && rest.length === 0 ? tenantId.toLowerCase() : undefined
}

const WebUrl = z.url({ protocol: /^https?$/ })
const Name = z.nullish(z.string())

/** The metadata of a tenant (OpenID Connect Discovery 1.0, section 3), with Microsoft's own members. */
const TenantMetadata = z.object({
  issuer: WebUrl,
  authorization_endpoint: WebUrl,
  token_endpoint: WebUrl,
  jwks_uri: WebUrl,
  tenant_region_scope: Name,
  tenant_region_sub_scope: Name,
  cloud_instance_name: Name,
  msgraph_host: Name,
})

const toTenant = (metadata: z.infer<typeof TenantMetadata>) => ({
  issuer: metadata.issuer,
  region: metadata.tenant_region_scope ?? null,
  subScope: metadata.tenant_region_sub_scope ?? null,
  cloudInstance: metadata.cloud_instance_name ?? null,
  graphHost: metadata.msgraph_host ?? null,
  endpoints: {
    authorization: metadata.authorization_endpoint,
    token: metadata.token_endpoint,
    jwks: metadata.jwks_uri,
  },
})

/** The body of a refusal; its AADSTS number may change, so only `error` counts. */
const Refusal = z.object({ error: z.literal('invalid_tenant') })

const readRefusal = (status: number, body: unknown) =>
  status === 400 && z.safeParse(Refusal, body).success
    ? ({ found: false, error: 'invalid_tenant' } as const)
    : ({ found: null, error: `http_${status}` } as const)
