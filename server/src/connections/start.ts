import { type ConnectResponse, connectMinutes, type PendingConnection } from '@passport/contract/connections'
import { v7 as uuid } from 'uuid'
import type { Sql } from '../database/sql.ts'
import type { Cookies } from '../http/cookies.ts'
import type { HttpContext } from '../http/http-context.ts'
import { generateToken, hashToken } from '../vault.ts'
import type { Flow } from './connectors.ts'
import { isRequestRefusal } from './openid-connector.ts'
import * as pending from './pending-store.ts'
import * as problems from './problems.ts'

interface FlowContext {
  sql: Sql
  http: Pick<HttpContext, 'isSecure'>
  cookies: Cookies
}

const cookieNameOf = (connector: string, { isSecure }: Pick<HttpContext, 'isSecure'>) =>
  `${isSecure ? '__Host-' : ''}passport-connect-${connector}`

/**
 * Starts a connection in a session and its browser, with a plain request after one that the service has rejected. Returns
 * the URL to open and the expiry.
 */
export async function start(flow: Flow, key: pending.PendingKey, { sql, http, cookies }: FlowContext) {
  const handle = generateToken()
  const isAgain = cookies.get(cookieNameOf(key.connector, http)) !== undefined
  const last = isAgain ? await pending.find(sql, key) : undefined
  const authorizationUrl = await flow.begin(handle, { isPlain: last?.isRefused })
  const expiresAt = await pending.start(sql, key, hashToken(handle), connectMinutes)
  cookies.set(cookieNameOf(key.connector, http), handle, { maxAgeSeconds: connectMinutes * 60 })
  return { authorizationUrl, expiresAt }
}

/**
 * Redeems the response of a service. Returns the account to confirm. Throws 400, 409 and 410 unless it is the first
 * response, within 10 minutes, to the last start in the same session and browser.
 */
export async function receive(
  flow: Flow,
  key: pending.PendingKey,
  response: ConnectResponse,
  { sql, http, cookies }: FlowContext,
): Promise<PendingConnection> {
  const handle = cookies.get(cookieNameOf(key.connector, http))
  const started = await pending.find(sql, key)
  const handleHash = handle === undefined ? undefined : hashToken(handle)
  const isSameStart = handleHash === undefined || handleHash === started?.handleHash
  // The cookie expires with the start, so a late response lacks it like one without a start.
  if (started?.isExpired && isSameStart) throw problems.linkExpired()
  if (handle === undefined || handleHash === undefined) throw problems.linkStateMissing()
  if (!isSameStart) throw problems.linkOfOtherSession()
  if (!(await pending.recordAnswer(sql, key, handleHash))) throw problems.linkUsed()
  const { externalId, label } = await flow.redeem(handle, response).catch(async (error: unknown) => {
    if (isRequestRefusal(error)) await pending.recordRefusal(sql, key, handleHash)
    throw error
  })
  const linkId = uuid()
  await pending.setAccount(sql, key, { handleHash, linkId, externalId, label })
  return { linkId, connector: key.connector, externalId, label, status: 'confirm' }
}
