import { reminderDays } from '@passport/contract/personal-tokens'
import { type Sql, transaction } from '../database/sql.ts'
import type { MailContext } from '../mail/send.ts'
import * as users from '../users/store.ts'
import { notifyOfExpiry } from './notices.ts'
import * as store from './store.ts'

/** The users of one transaction of `remindOfExpiry`. */
const batchSize = 50

/**
 * Queues an email to each user whose tokens expire soon, once for each token. A token that was created for a few days is
 * not mentioned: its user has just chosen the day.
 */
export async function remindOfExpiry({ sql, ...services }: MailContext & { sql: Sql }): Promise<void> {
  for (;;) {
    const count = await transaction(sql, async (sql) => {
      const due = await store.claimExpiring(sql, reminderDays, batchSize)
      for (const [userId, tokens] of Map.groupBy(due, ({ userId }) => userId)) {
        const user = await users.find(sql, userId)
        if (user && user.disabledAt === null) await notifyOfExpiry(sql, services, user, tokens)
      }
      return due.length
    })
    if (count === 0) return
  }
}
