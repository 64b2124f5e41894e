import type { IDToken } from 'openid-client'
import type { MappedClaims } from '../entra/claims-store.ts'
import { GraphFailure, listMemberObjects, requestAppToken } from '../entra/graph.ts'
import type { Services } from '../feature.ts'
import type { UpstreamTenant } from '../identity-providers/upstreams.ts'
import { findAddressOwner } from '../orgs/address-owner.ts'
import { readEmail } from '../users/read-person.ts'
import type { Claims } from './account.ts'
import { SignInFailure } from './failure.ts'

const guid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const isGuid = (value: unknown): value is string => typeof value === 'string' && guid.test(value)

/** The identity of a user of a tenant, and what its mappings refer to. */
export interface TenantIdentity {
  claims: Claims
  mapped: MappedClaims
}

/**
 * Reads the claims of a verified ID token of a tenant. Its users are identified by the object id: `sub` differs for each
 * application, and names and addresses may move to another user. Throws `SignInFailure` for a token of another tenant, a
 * guest who is not allowed, and groups that cannot be read.
 */
export async function readTenantIdentity(
  services: Pick<Services, 'config' | 'httpClient' | 'sql'>,
  tenant: UpstreamTenant,
  claims: IDToken,
): Promise<TenantIdentity> {
  const { tid, oid } = claims
  if (tid !== tenant.id) throw new SignInFailure('tenant-mismatch', `the ID token is of the tenant ${String(tid)}`)
  if (!isGuid(oid)) throw new SignInFailure('answer-invalid', 'the ID token has no object id')
  const objectId = oid.toLowerCase()
  if (isGuest(claims, tenant) && !tenant.allowGuests) throw new SignInFailure('guest-refused', objectId)
  const { iss, name, preferred_username } = claims
  const email = readEmail(claims.email) ?? readEmail(preferred_username) ?? undefined
  return {
    claims: {
      iss,
      sub: objectId,
      name,
      preferred_username,
      email,
      email_verified: await isAtOwnDomain(services, tenant, email),
    },
    mapped: {
      groups: tenant.needsGroups ? await readGroups(services, tenant, claims, objectId) : listGroups(claims),
      roles: toTexts(claims['roles']),
    },
  }
}

/** Reports whether the user is a guest: `acct` says so, and `idp` if another tenant or provider authenticated them. */
const isGuest = ({ acct, idp }: Record<string, unknown>, { id }: UpstreamTenant): boolean =>
  Number(acct) === 1 || (typeof idp === 'string' && !idp.includes(id))

/** Reports whether the organisation has verified the domain of an address: the token does not prove the address itself. */
async function isAtOwnDomain({ sql }: Pick<Services, 'sql'>, { orgId }: UpstreamTenant, email: string | undefined) {
  return email !== undefined && (await findAddressOwner(sql, email)) === orgId
}

/**
 * Returns all groups of the user. A token with too many groups refers to Microsoft Graph, which is asked at the configured
 * address, since the token is no authority on that. Throws `SignInFailure`: with some of the groups, the user would lose
 * what the others give.
 */
async function readGroups(
  { config, httpClient }: Pick<Services, 'config' | 'httpClient'>,
  tenant: UpstreamTenant,
  claims: Record<string, unknown>,
  objectId: string,
): Promise<string[]> {
  if (!hasTooManyGroups(claims)) return listGroups(claims)
  const cloud = config.entraClouds.find(({ id }) => id === tenant.cloud)
  if (!cloud) throw new SignInFailure('groups-unavailable', `the cloud ${tenant.cloud} is not configured`)
  try {
    const token = await requestAppToken({ httpClient, cloud }, tenant.id)
    return (await listMemberObjects({ httpClient, cloud }, token, objectId)).filter(isGuid)
  } catch (error) {
    if (!(error instanceof GraphFailure)) throw error
    throw new SignInFailure('groups-unavailable', `${error.code}: ${error.message}`, { cause: error })
  }
}

const hasTooManyGroups = ({ hasgroups, _claim_names: references }: Record<string, unknown>): boolean =>
  hasgroups === true ||
  hasgroups === 'true' ||
  (typeof references === 'object' && references !== null && 'groups' in references)

const listGroups = (claims: Record<string, unknown>) =>
  toTexts(claims['groups'])
    .filter(isGuid)
    .map((id) => id.toLowerCase())

const toTexts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
