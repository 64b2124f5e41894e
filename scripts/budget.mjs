import { readdirSync, readFileSync, statSync } from 'node:fs'
import { brotliCompressSync } from 'node:zlib'

/*
 * Fails where the app has grown past what a first visit may cost (bytes as they are sent, brotli). `--json` prints the
 * figures for others to use.
 */

const dist = new URL('../web/dist/', import.meta.url)
const manifest = JSON.parse(readFileSync(new URL('.vite/manifest.json', dist), 'utf8'))
const sent = (file) => brotliCompressSync(readFileSync(new URL(file, dist))).length
const entry = 'index.html'

/** The scripts that are loaded before a page shows: those of the document, and those of the page. */
function scriptsOf(...modules) {
  const files = new Set()
  const visit = (name) => {
    const { file, imports = [] } = manifest[name]
    if (files.has(file)) return
    files.add(file)
    for (const imported of imports) visit(imported)
  }
  for (const name of modules) visit(name)
  return [...files].filter((file) => file.endsWith('.js'))
}

const bytesOf = (...modules) => scriptsOf(...modules).reduce((sum, file) => sum + sent(file), 0)
const chunk = (pattern) => Object.keys(manifest).find((name) => pattern.test(name)) ?? entry
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
  ['home, scripts', bytesOf(entry, chunk(/HomePage/)), 110 * kB],
  ['account, scripts', bytesOf(entry, chunk(/LoginsPage/)), 110 * kB],
  ['first admin route, scripts', bytesOf(entry, chunk(/SideBar/), chunk(/NotBuiltPage/)), 120 * kB],
  ['preferences, scripts', bytesOf(entry, chunk(/PreferencesPage/)), 110 * kB],
  ['developer tokens, scripts', bytesOf(entry, chunk(/DeveloperTokensPage/)), 130 * kB],
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
    console.log(`${name.padEnd(32)}${(bytes / kB).toFixed(1).padStart(7)} kB   ${verdict} ${most / kB}`)
  }
  const over = budgets.filter(([, bytes, most]) => bytes > most)
  console.log(`${budgets.length - over.length} passed, ${over.length} failed`)
  process.exitCode = over.length > 0 ? 1 : 0
}
