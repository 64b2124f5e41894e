import { run } from '@passport/world/process'
import { expect, test } from 'vitest'
import { killWhileMetering } from './test-metering-kills.ts'

test('ten kills of a process that sends usage bill every hour once', async () => {
  const start = async (env: Record<string, string>) => run('marketplace/test-meter.ts', [], env)
  expect(await killWhileMetering(10, start)).toMatchObject({ hours: 220 })
}, 120_000)
