import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the demo world has created in Passport. A part that is missing is created at the next start. */
export interface DemoState {
  /** The password of ada, dev and eve; empty until the database is filled. */
  password: string
  /** The user id of eve. */
  eveId?: string
  /** The people of Harbour ID are linked to the demo users. */
  isLinked?: true
  hasProducts?: true
  /** A question about permissions, as parameters of a URL. */
  question?: string
  /** A join link, such as `http://localhost:3000/join/…`. */
  joinUrl?: string
  /** The organisation that the link joins. */
  hallId?: string
  /** A purchase at AWS Marketplace was assigned to that organisation. */
  hasPurchase?: true
  /** An organisation whose tenant is connected, with a token for its provisioning. */
  northlight?: { orgId: string; tenantUrl: string; token: string }
  /** An organisation that has yet to prove its domain, and the record that proves it. */
  domain?: { orgId: string; name: string; text: string }
}

const pathIn = (dataDir: string) => join(dataDir, 'demo.json')

/** Reads the state of an earlier start; undefined if there is none. */
export function readState(dataDir: string): DemoState | undefined {
  try {
    return JSON.parse(readFileSync(pathIn(dataDir), 'utf8')) as DemoState
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes the state to a file that only its owner can read, as it has a password and a token. */
export function saveState(dataDir: string, state: DemoState): void {
  mkdirSync(dataDir, { recursive: true })
  writeFileSync(pathIn(dataDir), `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 })
}
