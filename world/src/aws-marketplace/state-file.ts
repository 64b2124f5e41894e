import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { MarketplaceEvent } from './deliveries.ts'
import type { Market } from './market.ts'

/** What outlasts a restart: the purchases and the events. */
export type State = Omit<Market, 'products'> & { events: MarketplaceEvent[] }

/** Reads the state from a file; without one, the marketplace starts without purchases. */
export function readState(file: string | undefined): State {
  if (!file || !existsSync(file)) return { agreements: [], tokens: [], usage: [], events: [] }
  return JSON.parse(readFileSync(file, 'utf8'))
}

export function saveState(file: string | undefined, { agreements, tokens, usage, events }: State) {
  if (!file) return
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, JSON.stringify({ agreements, tokens, usage, events }, null, 2))
}
