import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Returns the transferred bytes of the app by page; `npm test` checks them against their budgets. */
export function bundleBytes(): [name: string, bytes: number][] {
  const script = fileURLToPath(new URL('../../scripts/budget.mjs', import.meta.url))
  const json = execFileSync(process.execPath, [script, '--json'], { encoding: 'utf8' })
  return Object.entries(JSON.parse(json) as Record<string, number>)
}
