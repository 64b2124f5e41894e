import { gzipSync } from 'node:zlib'
import { bundle } from '../world/src/bundle.ts'

/* Fails where the sign-in client, bundled with all that it needs and minified, has grown past what it may cost (gzip). */

const most = 20_000
const bytes = gzipSync(await bundle('sign-in/src/index.ts'), { level: 9 }).length

if (process.argv.includes('--json')) console.log(JSON.stringify({ 'sign-in client': bytes }))
else {
  const verdict = bytes <= most ? 'within' : 'OVER'
  console.log(`sign-in client, gzip            ${(bytes / 1000).toFixed(1).padStart(7)} kB   ${verdict} ${most / 1000}`)
}
process.exitCode = bytes <= most ? 0 : 1
