import { gzipSync } from 'node:zlib'
import { bundle } from '../world/src/bundle.ts'

/* Fails if the sign-in client, bundled with its dependencies and minified, exceeds its budget (gzip). */

const maxBytes = 20_000
const bytes = gzipSync(await bundle('sign-in/src/index.ts'), { level: 9 }).length

if (process.argv.includes('--json')) console.log(JSON.stringify({ 'sign-in client': bytes }))
else {
  const verdict = bytes <= maxBytes ? 'within' : 'OVER'
  console.log(
    `sign-in client, gzip            ${(bytes / 1000).toFixed(1).padStart(7)} kB   ${verdict} ${maxBytes / 1000}`,
  )
}
process.exitCode = bytes <= maxBytes ? 0 : 1
