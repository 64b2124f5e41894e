import type { Client } from '../clients/store.ts'
import type { Sql } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { Services } from '../feature.ts'
import { generateToken } from '../vault.ts'
import * as store from './store.ts'

const maxAttempts = 6

/** The days for which the notices of a disabled client are kept: no grant and no session lasts longer. */
const noticeDays = 14

/** The lifetime of a logout token; OpenID Connect Back-Channel Logout 1.0, section 4, recommends two minutes at most. */
const logoutTokenSeconds = 120

type DeliveryServices = Pick<Services, 'sql' | 'clients' | 'issuer' | 'httpClient' | 'config' | 'log'>

/**
 * Notifies clients of ended sessions with logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.5). Failures
 * are retried after 1, 2, 4 … minutes. After six attempts, about half an hour, the notice is dropped. Those of a disabled
 * client are sent within a minute after it is enabled.
 */
export async function deliverLogoutNotices(services: DeliveryServices): Promise<void> {
  const { sql, clients, log } = services
  for (;;) {
    const due = await store.leaseLogoutNotices(sql)
    if (due.length === 0) return
    await Promise.all(
      due.map(async (notice) => {
        const { id, clientId, attempts } = notice
        try {
          const client = await clients.findCurrent(clientId)
          if (!client) return await store.removeUnaddressedNotice(sql, id)
          if (client.backchannelLogoutUri !== null)
            await sendNotice(services, client, client.backchannelLogoutUri, notice)
          await store.removeLogoutNotice(sql, id)
        } catch (error) {
          const isLast = attempts >= maxAttempts
          log.warn({ err: error, clientId, attempts, isLast }, 'back-channel-logout-failed')
          if (isLast) await store.removeLogoutNotice(sql, id)
        }
      }),
    )
  }
}

/** Posts a logout token to its client. Throws unless the client confirms it with 200 or 204 (section 2.8). */
async function sendNotice(
  { issuer, httpClient, config }: DeliveryServices,
  client: Client,
  uri: string,
  notice: store.LogoutNotice,
): Promise<void> {
  const claims = toLogoutClaims(notice, config.publicUrl, Date.now())
  const token = (await issuer.keys()).sign(claims, client.idTokenSigningAlg, 'logout+jwt')
  const { status } = await httpClient.fetch(uri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ logout_token: token }),
  })
  if (status !== 200 && status !== 204) throw new Error(`The client responded with ${status}, not with 200`)
}

/** Returns the claims of a logout token (section 2.4). It has no `nonce`, so that it is no ID token. */
function toLogoutClaims({ clientId, accountId, sid }: store.LogoutNotice, publicUrl: string, now: number) {
  const iat = Math.floor(now / 1000)
  return {
    iss: publicUrl,
    aud: clientId,
    sub: accountId,
    sid,
    jti: generateToken(),
    iat,
    exp: iat + logoutTokenSeconds,
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  }
}

/** Deletes at most `limit` notices that waited too long for their client; returns their number. */
export const sweepLogoutNotices = (sql: Sql, limit: number): Promise<number> =>
  store.sweepLogoutNotices(sql, noticeDays, limit)

/** Delivers notices at once, in the process that the database notifies first. */
export async function deliverOnNotification(services: DeliveryServices): Promise<void> {
  const { sql, log } = services
  const deliver = () => deliverLogoutNotices(services).catch((error) => log.error({ err: error }, 'logout-notices'))
  await subscribe(sql, log, 'logout', deliver)
}
