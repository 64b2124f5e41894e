import { readFileSync } from 'node:fs'
import type { Mount } from './mount.ts'

/** Serves a script of one of our pages as a file of its own: their policy forbids inline scripts. */
export function servePageScript(mount: Mount, path: `/${string}`, file: URL): void {
  const script = readFileSync(file)
  mount(
    path,
    async (_incoming, outgoing) => {
      outgoing.writeHead(200, { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'no-cache' })
      outgoing.end(script)
    },
    { isRead: true },
  )
}
