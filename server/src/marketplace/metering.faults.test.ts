import { runServer } from '@passport/world/process'
import { test } from 'vitest'
import { killWhileMetering } from './test-metering-kills.ts'

/** `METERING_KILLS=20 npm run faults -- metering` kills 20 times. */
const kills = Number(process.env['METERING_KILLS'] ?? 200)

test(
  `${kills} kills of the server while it sends usage bill every hour once`,
  async () => {
    const { hours, calls } = await killWhileMetering(kills, runServer)
    console.log(`${kills} kills in the middle of a call, ${hours} hours in ${calls} calls, each billed once`)
  },
  60_000 + kills * 15_000,
)
