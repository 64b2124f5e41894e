import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts `bare.ts`, which answers every request with the body and headers of this response. */
export async function startBare(sample: Response) {
  const headers = Object.fromEntries(
    [...sample.headers].filter(([name]) => !/^(connection|keep-alive|date)$/.test(name)),
  )
  const child = spawn(process.execPath, [fileURLToPath(new URL('./bare.ts', import.meta.url))], {
    env: { ANSWER: JSON.stringify({ body: await sample.text(), headers }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { url: String(line).trim(), pid: child.pid ?? 0, stop: () => child.kill() }
}
