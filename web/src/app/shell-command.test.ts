import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { formatCurl, quoteWord } from './shell-command.ts'

interface ChildProcess {
  execFileSync: (file: string, args: string[], options: { encoding: 'utf8' }) => string
}

/** Runs a script by a real shell; returns what it prints, which ends each word with a zero byte. */
async function runShell(script: string): Promise<string[]> {
  // The types of the browser do not have Node's modules.
  const { execFileSync } = await vi.importActual<ChildProcess>('node:child_process')
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

/** Any text without a zero byte, which no argument can have, and what a shell may misread. */
const text = fc
  .oneof(
    fc.constantFrom(
      `it's`,
      '"$HOME"',
      '`id`',
      '$(id)',
      'a\nb',
      '\\',
      `'\\''`,
      '!!',
      '-n',
      '~',
      '*',
      '# x',
      'é 日本',
      '',
    ),
    fc.string({ unit: 'binary', maxLength: 20 }),
  )
  .map((text) => text.replaceAll('\0', '').toWellFormed())

test('a quoted text is one word of the shell, unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (words) => {
      expect(await runShell(`printf '%s\\0' ${words.map(quoteWord).join(' ')}`)).toEqual(words)
    }),
    { numRuns: 40 },
  )
})

test('a command gives curl the URL and the body of the call, and the token of the environment', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, text, async (id, filter, member) => {
      const url = new URL(`http://localhost:3000/passport/admin/roles/${encodeURIComponent(id)}`)
      url.searchParams.set('query', filter)
      const script = `TOKEN=secret\ncurl() { printf '%s\\0' "$@"; }\n`
      const [sent = '', ...header] = await runShell(script + formatCurl({ url: url.href }))
      expect(header).toEqual(['-H', 'Authorization: Bearer secret'])
      expect(sent).not.toMatch(/[[\]{}]/)
      expect(new URL(sent).searchParams.get('query')).toBe(filter)
      expect(decodeURIComponent(new URL(sent).pathname)).toBe(decodeURIComponent(url.pathname))
      const body = { subject: { type: 'user', id: member } }
      const words = await runShell(script + formatCurl({ url: url.href, body }))
      expect(JSON.parse(words.at(-1) ?? '')).toEqual(body)
      expect(words.slice(1, -1)).toEqual([...header, '-H', 'Content-Type: application/json', '-d'])
    }),
    { numRuns: 20 },
  )
})
