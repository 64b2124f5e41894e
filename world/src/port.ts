import { createServer } from 'node:net'

/**
 * Returns a free port, for servers that must know their URL before they listen. It is below the ephemeral range, so
 * that the system does not assign it in between.
 */
export async function findFreePort(): Promise<number> {
  const port = 11_000 + Math.floor(Math.random() * 20_000)
  return (await isFree(port)) ? port : findFreePort()
}

/** Returns the first of some ports that another process uses. */
export async function findUsedPort(ports: number[]): Promise<number | undefined> {
  for (const port of ports) if (!(await isFree(port))) return port
  return undefined
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
