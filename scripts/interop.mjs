// `npm run interop`: extensive tests against other implementations of the same protocols: SpiceDB with random schemas,
// caveats and checks; scim2-tester on SCIM; the queues of moto; oidc-client, which `sign-in` replaces, in a browser; and applications with six other
// libraries for OpenID Connect, which it installs. They need npm, Python, Go and, for Apache, apt-get.
import { spawnSync } from 'node:child_process'
import { ensureBrowser } from './browser.mjs'

const browser = ensureBrowser()
if (!browser) process.exit(1)
const env = { ...process.env, FC_RUNS: process.env.FC_RUNS ?? '1000', CHROMIUM_PATH: browser, INTEROP: 'yes' }
const comparisons = [
  'permissions/conformance',
  'caveat-oracle',
  'server/src/engine-conformance',
  'scim2-tester',
  'moto.test',
]
const runs = [
  ['vitest', ['run', ...comparisons]],
  ['playwright', ['test', '-c', 'e2e', 'old-client']],
  // All applications belong to one server.
  ['playwright', ['test', '-c', 'e2e', 'interop/', '--workers', '1']],
]
for (const [command, args] of runs)
  if (spawnSync(command, args, { stdio: 'inherit', env }).status !== 0) process.exitCode = 1
