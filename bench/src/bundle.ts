import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** The bytes of the app as they are sent, by what is visited; `npm test` holds them to their budgets. */
export function bundleBytes(): [name: string, bytes: number][] {
  const script = fileURLToPath(new URL('../../scripts/budget.mjs', import.meta.url))
  const told = execFileSync(process.execPath, [script, '--json'], { encoding: 'utf8' })
  return Object.entries(JSON.parse(told) as Record<string, number>)
}
