import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Returns the transferred size of each part of the app in bytes; `npm test` checks the sizes against their budgets. */
export function measureBundleBytes(): [name: string, bytes: number][] {
  const script = fileURLToPath(new URL('../../scripts/budget.mjs', import.meta.url))
  const json = execFileSync(process.execPath, [script, '--json'], { encoding: 'utf8' })
  return Object.entries(JSON.parse(json) as Record<string, number>)
}
