import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts `bare-server.ts`, which sends the body and headers of this response to every request. */
export async function startBareServer(sample: Response) {
  const headers = Object.fromEntries(
    [...sample.headers].filter(([name]) => !/^(connection|keep-alive|date)$/.test(name)),
  )
  const child = spawn(process.execPath, [fileURLToPath(new URL('./bare-server.ts', import.meta.url))], {
    env: { RESPONSE: JSON.stringify({ body: await sample.text(), headers }) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return { url: String(line).trim(), pid: child.pid ?? 0, stop: () => child.kill() }
}
