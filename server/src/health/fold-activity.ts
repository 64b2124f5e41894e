import { sweepAll } from '../database/jobs.ts'
import type { Sql } from '../database/sql.ts'
import { foldHour, sweepHours } from './activity-store.ts'

/** Adds up the activity by hour once it is a day old, and deletes what is older than 400 days. */
export async function foldActivity(sql: Sql): Promise<void> {
  while (await foldHour(sql));
  await sweepAll((limit) => sweepHours(sql, limit))
}
