import { readdirSync, readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

/*
 * Fails where a part of the app has grown past what it may cost (bytes as they are sent, brotli). `--json` prints the
 * figures for others to use. What a first visit loads is measured in a browser: e2e/first-visit.spec.ts.
 */

const dist = new URL('../web/dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const sent = (file) => brotliCompressSync(readFileSync(new URL(file, dist))).length
const entry = 'index.html'

/** The scripts that a module cannot do without, its own among them. */
function scriptsOf(module) {
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

function chunk(pattern) {
  const name = Object.keys(manifest).find((name) => pattern.test(name))
  if (!name) throw new Error(`No chunk of the app is called ${pattern}`)
  return name
}
const [font] = (manifest[entry].assets ?? []).filter((file) => /hanken-grotesk-latin-wght/.test(file))
const alone = (pattern) => {
  const shared = new Set(scriptsOf(entry))
  return scriptsOf(chunk(pattern))
    .filter((file) => !shared.has(file))
    .reduce((sum, file) => sum + sent(file), 0)
}

/** A worker is a program of its own, which the manifest does not list. */
const worker = (name) =>
  readdirSync(new URL('assets/', dist))
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.js'))
    .reduce((sum, file) => sum + sent(`assets/${file}`), 0)

const kB = 1000
const budgets = [
  ['developer tokens, beside the rest', alone(/DeveloperTokensPage/), 25 * kB],
  ['palette, when it is opened', alone(/Palette/), 45 * kB],
  ['relations, when they are opened', alone(/RelationsPage/), 32 * kB],
  ['graph, when it is opened', alone(/RelationGraph/) + worker('layout-worker'), 70 * kB],
  ['messages, with the first one', alone(/toaster/), 14 * kB],
  ['style sheet', manifest[entry].css.reduce((sum, file) => sum + sent(file), 0), 14 * kB],
  ['preloaded font', statSync(new URL(font, dist)).size, 36 * kB],
]

if (process.argv.includes('--json'))
  console.log(JSON.stringify(Object.fromEntries(budgets.map(([name, bytes]) => [name, bytes]))))
else {
  for (const [name, bytes, most] of budgets) {
    const verdict = bytes <= most ? 'within' : 'OVER'
    console.log(`${name.padEnd(36)}${(bytes / kB).toFixed(1).padStart(7)} kB   ${verdict} ${most / kB}`)
  }
  const over = budgets.filter(([, bytes, most]) => bytes > most)
  console.log(`${budgets.length - over.length} passed, ${over.length} failed`)
  process.exitCode = over.length > 0 ? 1 : 0
}
