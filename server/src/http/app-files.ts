import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { linkHeaders } from '@passport/contract/join'
import type { Hono } from 'hono'
import { html } from 'hono/html'
import { type Brand, fitLogo } from './brand.ts'
import type { Environment } from './environment.ts'
import type { HttpContext } from './http-context.ts'
import { renderIcon } from './page.ts'
import { appNotBuilt, notFound } from './problems.ts'
import { respond } from './respond.ts'

/** The built web app, read into memory at the start: it is small, and no request can reach other files. */
export interface AppFiles {
  files: Map<string, { type: string; plain: Buffer<ArrayBuffer>; brotli: Buffer<ArrayBuffer> | undefined }>
  /** The URL of the style sheet of the server's own pages. */
  pageStylesheet: string | undefined
}

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const appPolicy = [
  "default-src 'self'",
  // `blob:` is for pictures and models of a file that the user chose, and for the textures in a model.
  "img-src 'self' data: blob:",
  "connect-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Reads the output of Vite; empty if the app has not been built, as in most server tests. */
export function readAppFiles(directory: URL): AppFiles {
  const files: AppFiles['files'] = new Map()
  if (!existsSync(directory)) return { files, pageStylesheet: undefined }
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const type = types[extname(name)]
    if (!type) continue
    const file = new URL(name, directory)
    const packed = new URL(`${name}.br`, directory)
    files.set(name, { type, plain: readFileSync(file), brotli: existsSync(packed) ? readFileSync(packed) : undefined })
  }
  const styles = [...files.keys()].find((name) => /^assets\/pages-.*\.css$/.test(name))
  return { files, pageStylesheet: styles && `/app/${styles}` }
}

/** Serves the app under /app/: its files, and its document for every other path there. */
export function serveAppOn(
  app: Hono<Environment>,
  http: HttpContext,
  { files }: AppFiles,
  /** The texts that the app requests, because they are published. */
  listContents: () => ReadonlySet<string>,
): void {
  const document = files.get('index.html')?.plain.toString()

  for (const path of ['/', '/app']) {
    app.get(path, (c) => {
      c.set('route', path)
      const query = (c.env.incoming.url ?? '').split(/(?=\?)/)[1] ?? ''
      const headers = { Location: `/app/${query}`, 'Cache-Control': 'no-cache' }
      return respond({ status: 302, headers }, http.standardHeaders, c.get('visit').traceId)
    })
  }

  app.get('/app/*', (c) => {
    c.set('route', '/app/*')
    const name = c.req.path.slice('/app/'.length)
    const file = name === 'index.html' ? undefined : files.get(name)
    const { traceId } = c.get('visit')
    if (!file) {
      // A missing chunk must not return a document: browsers would run it as a script.
      if (name.startsWith('assets/')) throw notFound('File')
      if (!document) throw appNotBuilt()
      const headers = {
        'Content-Type': 'text/html; charset=utf-8',
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': appPolicy,
        // The page of set-up links, whose address has a token when it is opened.
        ...(name === 'setup' && linkHeaders),
      }
      const body = brandDocument(document, http.readBrand()).replace(
        '<meta name="contents" content="',
        (start) => start + [...listContents()].join(' '),
      )
      return respond({ status: 200, headers, body }, http.standardHeaders, traceId)
    }
    const takesBrotli = /\bbr\b/.test(c.req.header('accept-encoding') ?? '')
    const headers = {
      'Content-Type': file.type,
      'Cache-Control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'public, max-age=3600',
      Vary: 'Accept-Encoding',
      ...(takesBrotli && file.brotli && { 'Content-Encoding': 'br' }),
    }
    const body = takesBrotli && file.brotli ? file.brotli : file.plain
    return respond({ status: 200, headers, body }, http.standardHeaders, traceId)
  })
}

/**
 * Writes the brand into the document: its name, its logo for the app, its icon, and its style sheet after that of the app.
 * Administrators change it while the server runs.
 */
function brandDocument(document: string, brand: Brand): string {
  const { name, logo, stylesheet } = brand
  const { width, height } = logo ? fitLogo(logo, 28) : { width: 0, height: 0 }
  const meta = html`<meta name="brand" content="${name}">${logo ? html`<meta name="brand-logo" content="${logo.url} ${width} ${height}">` : ''}`
  return document
    .replace(/<title>.*?<\/title>/, () => String(html`<title>${name}</title>`))
    .replace(/<meta name="brand".*?>/, () => String(meta))
    .replace(/<link rel="icon".*?>/, () => String(renderIcon(brand)))
    .replace('</head>', (end) => (stylesheet ? String(html`<link rel="stylesheet" href="${stylesheet}">`) : '') + end)
}
