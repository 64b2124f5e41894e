import { createServer } from 'node:net'

/**
 * A port that is free just now: for who must know their address before they listen there.
 * It is below those that a system gives to whoever asks for any, so that nobody gets it by chance in between.
 */
export async function freePort(): Promise<number> {
  const port = 11_000 + Math.floor(Math.random() * 20_000)
  return (await isFree(port)) ? port : freePort()
}

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
