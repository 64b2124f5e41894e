import { readdirSync, readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

/*
 * Fails if a part of the app exceeds its budget (transferred bytes, Brotli). `--json` prints the figures for other
 * programs. The scripts of a first visit are measured in a browser: e2e/first-visit.spec.ts.
 */

const dist = new URL('../web/dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const transferredBytes = (file) => brotliCompressSync(readFileSync(new URL(file, dist))).length
const entry = 'index.html'

/** Returns the scripts that a module imports, directly or not, and its own. */
function collectScripts(module) {
  const files = new Set()
  const visit = (name) => {
    const { file, imports = [] } = manifest[name]
    if (files.has(file)) return
    files.add(file)
    for (const imported of imports) visit(imported)
  }
  visit(module)
  return [...files].filter((file) => file.endsWith('.js'))
}

function findChunk(pattern) {
  const name = Object.keys(manifest).find((name) => pattern.test(name))
  if (!name) throw new Error(`No chunk of the app matches ${pattern}`)
  return name
}
const [font] = (manifest[entry].assets ?? []).filter((file) => /hanken-grotesk-latin-wght/.test(file))
/**
 * Returns the transferred size of a part in bytes, without the scripts that the entry, or the page that opens the part,
 * has loaded already.
 */
const lazyBytes = (pattern, page) => {
  const shared = new Set([...collectScripts(entry), ...(page ? collectScripts(findChunk(page)) : [])])
  return collectScripts(findChunk(pattern))
    .filter((file) => !shared.has(file))
    .reduce((sum, file) => sum + transferredBytes(file), 0)
}

/** Returns the transferred size of a web worker, which the manifest does not list. */
const workerBytes = (name) =>
  readdirSync(new URL('assets/', dist))
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.js'))
    .reduce((sum, file) => sum + transferredBytes(`assets/${file}`), 0)

const kB = 1000
/** Home and account (120 kB) and the first admin page (130 kB) are measured in a browser. */
const limits = {
  lazyRoute: 25 * kB,
  palette: 45 * kB,
  charts: 25 * kB,
  relations: 32 * kB,
  toaster: 14 * kB,
  graph: 70 * kB,
  threeD: 200 * kB,
  css: 16 * kB,
  font: 36 * kB,
}
const budgets = [
  ['developer tokens page, on open', lazyBytes(/DeveloperTokensPage/), limits.lazyRoute],
  ['chart of the audit log, on open', lazyBytes(/DayChart/), limits.charts],
  ['health page, on open', lazyBytes(/HealthPage/), limits.lazyRoute],
  ['palette, on open', lazyBytes(/Palette/), limits.palette],
  ['relations page, on open', lazyBytes(/RelationsPage/), limits.relations],
  ['graph, on open', lazyBytes(/RelationGraph/, /RelationsPage/) + workerBytes('layout-worker'), limits.graph],
  ['3D avatar, on open', lazyBytes(/TurntableView/, /ProfilePage/), limits.threeD],
  ['toasts, on first use', lazyBytes(/toaster/), limits.toaster],
  ['style sheet', manifest[entry].css.reduce((sum, file) => sum + transferredBytes(file), 0), limits.css],
  ['preloaded font', statSync(new URL(font, dist)).size, limits.font],
]

if (process.argv.includes('--json'))
  console.log(JSON.stringify(Object.fromEntries(budgets.map(([name, bytes]) => [name, bytes]))))
else {
  for (const [name, bytes, limit] of budgets) {
    const verdict = bytes <= limit ? 'within' : 'OVER'
    console.log(`${name.padEnd(36)}${(bytes / kB).toFixed(1).padStart(7)} kB   ${verdict} ${limit / kB}`)
  }
  const over = budgets.filter(([, bytes, limit]) => bytes > limit)
  console.log(`${budgets.length - over.length} passed, ${over.length} failed`)
  process.exitCode = over.length > 0 ? 1 : 0
}
