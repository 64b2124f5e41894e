import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'
import { bareContract } from './bare-contract.ts'

/** Preloads the body font, which the first paint needs before the style sheet requests it. */
const preloadFont: Plugin = {
  name: 'preload-font',
  transformIndexHtml: {
    order: 'post',
    handler: (_html, { bundle }) => {
      const font = Object.keys(bundle ?? {}).find((name) => /hanken-grotesk-latin-wght-normal.*\.woff2$/.test(name))
      if (!font) return []
      const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/app/${font}`, crossorigin: 'anonymous' }
      return [{ tag: 'link', attrs, injectTo: 'head-prepend' as const }]
    },
  },
}

/** Compresses files at build time, not at each request. */
const compress: Plugin = {
  name: 'compress',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:js|css|html|svg)$/.test(name)) continue
      const content = readFileSync(join(dir, name))
      const size = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(content, { params: size }))
    }
  },
}

/** Libraries that every page needs: they change only with a dependency. */
const libraries = {
  name: 'libraries',
  test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!(?:react-)?virtual)[\w-]+)\//,
}
const isShared = /web\/src\/(?:app|ui)\/|contract\/src\/|\/lucide-react\//
const isOfForms = /\/ui\/(?:CompareDialog|SaveBar)\.tsx/
/** The modules that many pages share, in one file, which compresses better than many small ones. */
const shared = { name: 'shared', test: (id: string) => isShared.test(id) && !isOfForms.test(id), minShareCount: 6 }
/** Those of the forms of records: no page of a first visit has one. */
const forms = { name: 'forms', test: isOfForms }

const server = `http://localhost:${process.env['PORT'] ?? 3000}`

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  // Our own packages are bundled from their sources: nothing else has to be built first.
  resolve: { conditions: ['@passport/source', ...defaultClientConditions] },
  plugins: [bareContract, react(), tailwindcss(), preloadFont, compress],
  build: {
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: {
      // Browsers that support our style sheet support this too.
      polyfill: false,
    },
    rolldownOptions: {
      input: { index: join(import.meta.dirname, 'index.html'), pages: join(import.meta.dirname, 'src/pages.css') },
      output: { codeSplitting: { groups: [libraries, shared, forms] } },
    },
  },
  server: {
    // Everything outside /app/ is the server's.
    proxy: { '^/(?!app/)': { target: server, changeOrigin: false } },
  },
})
