import { randomInt } from 'node:crypto'
import type { IdentityApi } from '@passport/contract/identity-apis'
import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { SignIn } from '../accounts/session-store.ts'
import type { Clients } from '../clients/cache.ts'
import { deviceTestClientId } from '../clients/registered.ts'
import type { Sql } from '../database/sql.ts'
import * as requests from '../device-authorization/store.ts'
import { normaliseUserCode } from '../device-authorization/user-code.ts'
import { createCookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import { findApisWithScopes, scopeNamesOf } from '../identity-apis/scopes.ts'
import { userScopesOf } from '../oauth/resources.ts'
import { recordSignInOfGrant } from './store.ts'

/** The lifetime of a device code (RFC 8628, section 3.2); short, because a user code may be phished. */
export const deviceCodeSeconds = 10 * 60

/** The parameter by which the built-in test client requests number matching; other devices could not show a number. */
export const matchParameter = 'passport_match'

/** The parameter by which a device requires the PIN that the approving user sees. */
export const pinParameter = 'passport_pin'

/**
 * Records a device authorization request with its origin, and replaces the library's verification page by ours, which
 * shows the origin before approval.
 */
export async function recordDeviceRequest(
  { sql, http, clients }: { sql: Sql; http: HttpContext; clients: Clients },
  ctx: KoaContextWithOIDC,
): Promise<void> {
  const body = ctx.body as Record<string, unknown>
  const userCode = String(body['user_code'])
  const { client, params } = ctx.oidc
  const isMatched = client?.clientId === deviceTestClientId && params?.[matchParameter] === 'number'
  const matchNumber = isMatched ? String(randomInt(10, 100)) : null
  const registered = await clients.find(client?.clientId ?? '')
  const isPinRequired = registered?.isPinRequired || params?.[pinParameter] === 'required'
  const token = createCookies(ctx.req.headers.cookie, http.isSecure).get(http.sessionCookie)
  const caller = token ? await http.identify.bySession(token) : undefined
  const { ip, userAgent } = http.readVisit(ctx.req)
  await requests.add(sql, {
    userCode: normaliseUserCode(userCode) ?? userCode,
    deviceCode: String(body['device_code']),
    clientId: client?.clientId ?? '',
    scopes: String(params?.['scope'] ?? '')
      .split(' ')
      .filter(Boolean),
    expiresInSeconds: deviceCodeSeconds,
    ip,
    userAgent,
    sessionId: caller?.session?.id ?? null,
    matchNumber,
    isPinRequired,
  })
  const page = `${http.publicUrl}/app/device`
  body['verification_uri'] = page
  body['verification_uri_complete'] = `${page}?user_code=${encodeURIComponent(userCode)}`
  body['interval'] = 5
  if (matchNumber) body[matchParameter] = matchNumber
  if (isPinRequired) body[pinParameter] = 'required'
}

/** The response to a device that polls too often. */
export const slowDown = { error: 'slow_down', error_description: 'wait 5 seconds longer between polls' }

/** Responds `slow_down` to a device that polls too often, and reports an expired code (RFC 8628, section 3.5). */
export async function handlePoll(sql: Sql, ctx: KoaContextWithOIDC): Promise<void> {
  const body = ctx.body as { error?: string; error_description?: string } | undefined
  const poll = await requests.recordPoll(sql, String(ctx.oidc.params?.['device_code'] ?? ''))
  if (!poll || !body) return
  if (body.error === 'authorization_pending' && poll.isTooSoon) ctx.body = slowDown
  // The library does not find expired codes, and reports them as unknown.
  if (body.error === 'invalid_grant' && poll.isExpired)
    ctx.body = { error: 'expired_token', error_description: 'the device code has expired' }
}

interface Approval {
  userCode: string
  userId: string
  authTime: string
  amr: string[]
  acr: string | null
  signIn?: SignIn | undefined
  scopes: string[]
}

/** Approves a device, which gets its tokens with its next poll. Returns false if the code no longer exists. */
export async function approveDevice(
  sql: Sql,
  provider: Provider,
  apis: IdentityApi[],
  { userCode, userId, authTime, amr, acr, signIn, scopes }: Approval,
): Promise<boolean> {
  const code = await provider.DeviceCode.findByUserCode(userCode)
  if (!code?.clientId) return false
  const requestedApis = findApisWithScopes(apis, scopes)
  const apiScopes = new Set(requestedApis.flatMap(scopeNamesOf))
  const grant = new provider.Grant({ accountId: userId, clientId: code.clientId })
  grant.addOIDCScope(scopes.filter((scope) => !apiScopes.has(scope)).join(' '))
  for (const api of requestedApis) {
    const available = new Set(userScopesOf(api))
    grant.addResourceScope(api.audience, scopes.filter((scope) => available.has(scope)).join(' '))
  }
  const grantId = await grant.save()
  await recordSignInOfGrant(sql, grantId, signIn)
  const [resource, ...others] = requestedApis.map(({ audience }) => audience)
  Object.assign(code, {
    accountId: userId,
    amr,
    ...(acr && { acr }),
    authTime: Math.floor(Date.parse(authTime) / 1000),
    grantId,
    scope: scopes.join(' '),
    ...(resource && { resource: others.length > 0 ? [resource, ...others] : resource }),
  })
  await code.save()
  return true
}

/** Denies a device, which gets `access_denied` with its next poll. Returns false if the code no longer exists. */
export async function denyDevice(provider: Provider, userCode: string): Promise<boolean> {
  const code = await provider.DeviceCode.findByUserCode(userCode)
  if (!code) return false
  Object.assign(code, { error: 'access_denied', errorDescription: 'the user denied the request' })
  await code.save()
  return true
}
