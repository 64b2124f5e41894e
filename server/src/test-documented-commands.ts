import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Lists the documents whose commands a person types: the README, the guide for contributors, and all guides. */
export const listDocuments = (): string[] => [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(root, 'docs/guide')).map((name) => `docs/guide/${name}`),
]

/**
 * Reads the commands of npm in a document, each once: lines of its shell blocks, and code in its text, with settings of the
 * environment before them and without comments after them.
 */
export function readCommands(document: string): string[] {
  const text = readFileSync(join(root, document), 'utf8')
  const blocks = [...text.matchAll(/^```(?:sh|console)\n(.*?)^```/gms)].map(([, code = '']) => code)
  const inline = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)
  const lines = [...blocks.flatMap((code) => code.split('\n')), ...inline]
  const commands = lines.map((line) => line.replace(/\s+#.*$/, '').trim())
  return [...new Set(commands.filter((command) => /^(?:[A-Z_]+=\S+ )*np[mx] /.test(command)))]
}

/** Returns the script of `package.json` that a command runs; undefined for one of npm itself or of `npx`. */
export function findScript(command: string): string | undefined {
  const [, built, name] = /\bnpm (?:(start|test)|run (?:-s |--silent )?([\w:-]+))(?= |$)/.exec(command) ?? []
  return built ?? name
}

/** Returns the names of the scripts of `package.json`. */
export function listScripts(): string[] {
  return Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts)
}
