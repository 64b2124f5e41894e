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
  test: /node_modules\/(?:react|react-dom|scheduler|@tanstack)\/(?!.*nfinite|(?:react-virtual|virtual-core)\/)|node_modules\/use-sync-external-store\/(?!.*with-selector)/,
}
/** The parts of all lists, and those of all records: two chunks, since a page needs one of them or neither. */
const listParts = '(?:Check|Panel|SearchBox|Status|Select)'
const recordParts = '(?:CompareDialog|DangerZone|PasteList|pasted-lines|Picker|SaveBar|TextArea|TypeToConfirm)'
const listFiles = '(?:List|Pager|bulk\\.|RowName|list-|use-list|columns|person-about|selection|table-layout|total)'
const lists = {
  name: 'lists',
  test: new RegExp(
    `web/src/(?:directory/${listFiles}|ui/${listParts}\\.)|web/src/users/names|contract/src/(?:roles|users)\\.|lucide-react/dist/esm/icons/mail\\.`,
  ),
}
/** The frame of pages for users with a role. */
const roles = { name: 'roles', test: /web\/src\/app\/(?:SideBar|role-pages)\./ }
/** Shared by the front page and the side bar, which do not need each other. */
const mrz = { name: 'mrz', test: /web\/src\/ui\/mrz\./ }
/** The user's own data, on the front page and the account pages; and the parts of pages with forms or tabs. */
const ownParts = '(?:Card|CopyButton|LoginUse|activity|provider-names|use-copy)'
const formParts = '(?:AccountHead|Dialog|LeaveGuard|Tabs)'
const own = {
  name: 'own',
  test: new RegExp(`web/src/(?:app|ui)/${ownParts}\\.|contract/src/accounts\\.`),
  minShareCount: 2,
}
const forms = { name: 'forms', test: new RegExp(`web/src/(?:app|ui)/${formParts}\\.`) }
/** Loaded with the first selected row of a list. */
const bulkParts = 'web/src/(?:directory/BulkBar|ui/(?:ResultReport|undo-toast))\\.'
const bulk = { name: 'bulk', test: new RegExp(bulkParts) }
const records = {
  name: 'records',
  test: new RegExp(`react-hook-form/|web/src/(?:directory/(?!${listFiles}|BulkBar)|ui/${recordParts}\\.)`),
}
/**
 * Modules of several pages in one file, which compresses better than many small ones; without those for users with a
 * role. Precedes the parts of lists and records, which include all that they import.
 */
const shared = {
  name: 'shared',
  test: new RegExp(
    `web/src/(?:app|ui)/(?!SideBar|role-pages|record-path|${ownParts}|${formParts}|SessionRow|Tile|mrz|use-now|QrCode|jwt|ResultReport|undo-toast|${listParts}|${recordParts})|contract/src/(?:call|endpoint|phrases|current-user|preference|discovery)|lucide-react/dist/esm/(?:Icon|create|shared|default|context|icons/(?:check|copy|plus|search|sliders-horizontal|x)\\.)`,
  ),
  minShareCount: 2,
}

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
      // What the document has loaded already need not be named again by every page.
      resolveDependencies: (_file, needed, { hostType }) =>
        hostType === 'html' ? needed : needed.filter((file) => !/\/(?:libraries|shared|rolldown-runtime)-/.test(file)),
    },
    rolldownOptions: {
      input: { index: join(import.meta.dirname, 'index.html'), pages: join(import.meta.dirname, 'src/pages.css') },
      output: { codeSplitting: { groups: [libraries, shared, own, forms, mrz, roles, lists, bulk, records] } },
    },
  },
  server: {
    // Everything outside /app/ is the server's.
    proxy: { '^/(?!app/)': { target: server, changeOrigin: false } },
  },
})
