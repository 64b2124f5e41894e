// Meters until it is killed, like a server that does nothing else: it starts faster.
import { setTimeout as delay } from 'node:timers/promises'
import { loadConfig } from '../config.ts'
import { openDatabase } from '../database/sql.ts'
import { createLog } from '../log.ts'
import { meterUsage } from './meter-usage.ts'

const config = loadConfig({ PORT: '0', ...process.env })
const sql = openDatabase({ url: process.env['DATABASE_URL'] ?? '' }, { maxConnections: 2 })
const stopping = new AbortController()
process.once('SIGTERM', () => stopping.abort())
while (!stopping.signal.aborted) {
  await meterUsage({ sql, config, log: createLog('silent'), stopping: stopping.signal })
  await delay(50)
}
await sql.end()
