import { hear } from '../database/hear.ts'
import type { Sql } from '../database/sql.ts'
import type { Log } from '../http/log.ts'
import type { Issuer } from './issuer.ts'
import * as store from './store.ts'

const maxAttempts = 6

/** The library has it, and its types do not tell of it. */
interface Told {
  backchannelLogout: (sub: string, sid: string) => Promise<void>
}

/**
 * Tells clients of sessions that ended, each with a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.5).
 * What fails is tried again after 1, 2, 4 … minutes; a client that does not answer for half an hour is given up.
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
          if (client?.backchannelLogoutUri) await (client as unknown as Told).backchannelLogout(accountId, sid)
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

/** Delivers notices as they are written, by whichever process hears of them first. */
export async function deliverAtOnce(sql: Sql, issuer: Issuer, log: Log): Promise<void> {
  const deliver = () =>
    deliverLogoutNotices(sql, issuer, log).catch((error) => log.error({ err: error }, 'logout-notices'))
  await hear(sql, log, 'logout', deliver)
}
