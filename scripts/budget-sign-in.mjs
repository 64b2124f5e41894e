import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/* Fails where the sign-in client, bundled with all that it needs and minified, has grown past what it may cost (gzip). */

const most = 20_000
const built = await build({
  configFile: false,
  logLevel: 'error',
  build: {
    write: false,
    modulePreload: false,
    target: 'es2024',
    rolldownOptions: { input: 'sign-in/src/index.ts', preserveEntrySignatures: 'strict' },
  },
})
const bytes = gzipSync(built.output[0].code, { level: 9 }).length

if (process.argv.includes('--json')) console.log(JSON.stringify({ 'sign-in client': bytes }))
else {
  const verdict = bytes <= most ? 'within' : 'OVER'
  console.log(`sign-in client, gzip            ${(bytes / 1000).toFixed(1).padStart(7)} kB   ${verdict} ${most / 1000}`)
}
process.exitCode = bytes <= most ? 0 : 1
