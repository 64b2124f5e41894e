import { countActive } from '../accounts/session-store.ts'
import type { Sql } from '../database/sql.ts'
import { insertSessionCount } from './activity-store.ts'
import type { Monitor } from './monitor.ts'

/** Records what one server measures for all of them, each minute. */
export async function recordSamples(sql: Sql, monitor: Monitor): Promise<void> {
  await monitor.record()
  await insertSessionCount(sql, await countActive(sql))
}
