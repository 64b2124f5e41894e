// Part of `npm run check`: fails for a word of an older dialect in names, comments or strings. docs/style.md has the
// replacements.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The files that list the words, and the changelog, which keeps its wording. */
const excludedFiles = new Set(['CHANGELOG.md', 'docs/style.md', 'scripts/dialect.mjs'])
const dialect =
  /\b(told|tells?|telling|whoever|whomever|anew|meanwhile|mend(ed|s)?|hangs on|put apart|no more of|(goes|go|going) in (a )?circles?|(is|are|was|were) made)\b/i

/** Returns the words of a text, with those of its identifiers: `toldOf` is `told of`. */
const splitIdentifiers = (text) => text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll(/[_`*]/g, ' ')

const folders = '{bench,contract,docs,e2e,permissions,scripts,server,sign-in,web,world}'
const isExcludedFolder = (name) => /(^|\/)(node_modules|dist|test-results|data)$/.test(name)
const files = globSync(['*.{ts,md}', `${folders}/**/*.{ts,tsx,mjs,sql,md}`], { cwd: root, exclude: isExcludedFolder })

let count = 0
for (const file of files.filter((file) => !excludedFiles.has(file)).sort()) {
  const text = readFileSync(join(root, file), 'utf8')
  if (!dialect.test(splitIdentifiers(text))) continue
  for (const [index, line] of text.split('\n').entries()) {
    if (!dialect.test(splitIdentifiers(line))) continue
    console.error(`${file}:${index + 1}: ${line.trim().slice(0, 120)}`)
    count++
  }
}
console.log(count === 0 ? 'No words of the dialect.' : `${count} lines with words of the dialect. See docs/style.md.`)
process.exitCode = count === 0 ? 0 : 1
