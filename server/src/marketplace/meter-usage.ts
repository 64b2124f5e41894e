import type { Services } from '../feature.ts'
import { createRunner } from './apply-events.ts'
import { closeEnding, freezeUsage } from './freeze-usage.ts'
import { sendUsage } from './send-usage.ts'

const frozenAtOnce = 1_000

/** Closes, freezes and sends the usage that is due. Returns the number of hours that were sent. */
export async function meterUsage(services: Pick<Services, 'sql' | 'config' | 'log' | 'stopping'>): Promise<number> {
  const { sql, stopping } = services
  await closeEnding(sql)
  while (!stopping.aborted && (await freezeUsage(sql, frozenAtOnce)));
  return services.config.awsMarketplace ? sendUsage(services) : 0
}

/** Returns a function that meters in the background: sending many hours takes minutes, for which no other job waits. */
export const createMetering = (services: Services): (() => void) =>
  createRunner(services, async () => {
    await meterUsage(services)
    return 0
  })
