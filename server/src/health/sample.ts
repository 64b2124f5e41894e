import { countActive } from '../accounts/session-store.ts'
import type { Services } from '../feature.ts'
import { insertSessionCount } from './activity-store.ts'

/** Records what one server measures for all of them, each minute. */
export async function recordSamples({ sql }: Pick<Services, 'sql'>): Promise<void> {
  await insertSessionCount(sql, await countActive(sql))
}
