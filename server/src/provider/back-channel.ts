import type { Sql } from '../database/sql.ts'
import { subscribe } from '../database/subscribe.ts'
import type { Log } from '../log.ts'
import type { Issuer } from './issuer.ts'
import * as store from './store.ts'

const maxAttempts = 6

/** The days for which the notices of a disabled client are kept: no grant and no session lasts longer. */
const noticeDays = 14

/** A method of the library that its types lack. */
interface LogoutNotifier {
  backchannelLogout: (sub: string, sid: string) => Promise<void>
}

/**
 * Notifies clients of ended sessions with logout tokens (OpenID Connect Back-Channel Logout 1.0, section 2.5). Failures
 * are retried after 1, 2, 4 … minutes. After six attempts, about half an hour, the notice is dropped. Those of a disabled
 * client are sent within a minute after it is enabled.
 */
export async function deliverLogoutNotices(sql: Sql, issuer: Issuer, log: Log): Promise<void> {
  const provider = await issuer.provider()
  for (;;) {
    const due = await store.leaseLogoutNotices(sql)
    if (due.length === 0) return
    await Promise.all(
      due.map(async ({ id, clientId, accountId, sid, attempts }) => {
        try {
          const client = await provider.Client.find(clientId)
          if (!client) return await store.removeUnaddressedNotice(sql, id)
          if (client.backchannelLogoutUri) await (client as unknown as LogoutNotifier).backchannelLogout(accountId, sid)
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

/** Deletes at most `limit` notices that waited too long for their client; returns their number. */
export const sweepLogoutNotices = (sql: Sql, limit: number): Promise<number> =>
  store.sweepLogoutNotices(sql, noticeDays, limit)

/** Delivers notices at once, in the process that the database notifies first. */
export async function deliverOnNotification(sql: Sql, issuer: Issuer, log: Log): Promise<void> {
  const deliver = () =>
    deliverLogoutNotices(sql, issuer, log).catch((error) => log.error({ err: error }, 'logout-notices'))
  await subscribe(sql, log, 'logout', deliver)
}
