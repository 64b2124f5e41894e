import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { bundle } from '../world/src/bundle.ts'

/*
 * Fails if the sign-in client, bundled with its dependencies and minified, or its part for React exceeds its budget
 * (gzip). Applications bundle with either tool, and esbuild removes less.
 */

const external = ['react']
const gzipBytes = (code) => gzipSync(code, { level: 9 }).length

async function measureWithVite(input) {
  const config = () => ({ build: { rolldownOptions: { external } } })
  return gzipBytes(await bundle(input, [{ name: 'external-react', config }]))
}

async function measureWithEsbuild(input) {
  const { outputFiles } = await build({
    entryPoints: [input],
    external,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2024',
    legalComments: 'none',
    write: false,
  })
  return gzipBytes(outputFiles[0].contents)
}

const parts = [
  ['sign-in client', 'sign-in/src/index.ts', 20_000],
  ['sign-in client for React', 'sign-in/src/react.ts', 2000],
]
const budgets = []
for (const [name, input, limit] of parts) {
  budgets.push(
    [name, await measureWithVite(input), limit],
    [`${name}, by esbuild`, await measureWithEsbuild(input), limit],
  )
}

if (process.argv.includes('--json')) console.log(JSON.stringify(Object.fromEntries(budgets)))
else {
  for (const [name, bytes, limit] of budgets) {
    const verdict = bytes <= limit ? 'within' : 'OVER'
    console.log(`${name.padEnd(36)}${(bytes / 1000).toFixed(2).padStart(7)} kB   ${verdict} ${limit / 1000}`)
  }
}
process.exitCode = budgets.some(([, bytes, limit]) => bytes > limit) ? 1 : 0
