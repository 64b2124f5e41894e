import { readFileSync } from 'node:fs'
import type { Mount } from './mount.ts'

/** Serves the script of a page as a separate file, because the policy of pages forbids inline scripts. */
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
