import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const instruction = '// Redirect to url. On the page of the redirect URI:\n'
/** Takes the place of a web server: prints the URL to open, and reads the URL of the response. */
const exchange = `console.log(url.href)
import { readFileSync } from 'node:fs'
const callbackUrl = new URL(readFileSync(0, 'utf8'))
`

/** Runs the quick start of an application in Node.js; `openUrl` opens a URL and returns that of the response. */
export async function runQuickStart(
  code: string,
  environment: Record<string, string>,
  openUrl: (url: string) => Promise<string>,
): Promise<string> {
  if (!code.includes(instruction)) throw new Error(`The quick start has no redirect: ${code}`)
  const program = spawn(
    process.execPath,
    ['--input-type=module', '--eval', code.replace(instruction, exchange)],
    // Packages are looked for from here.
    { cwd: fileURLToPath(new URL('.', import.meta.url)), env: environment, stdio: ['pipe', 'pipe', 'inherit'] },
  )
  const [url] = await once(program.stdout, 'data')
  program.stdin.end(await openUrl(String(url).trim()))
  return (await text(program.stdout)).trim()
}
