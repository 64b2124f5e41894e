import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'
import { bareContract } from './bare-contract.ts'

/** The body font is needed by the first paint; the document asks for it before the style sheet does. */
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

/** Compressed once, here, and not at every request. */
const compress: Plugin = {
  name: 'compress',
  apply: 'build',
  writeBundle({ dir = 'dist' }) {
    for (const name of readdirSync(dir, { recursive: true, encoding: 'utf8' })) {
      if (!/\.(?:js|css|html|svg)$/.test(name)) continue
      const plain = readFileSync(join(dir, name))
      const size = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(plain, { params: size }))
    }
  },
}

/** What only a change of a dependency changes, and every page needs. */
const libraries = {
  name: 'libraries',
  test: /node_modules\/(?:react|react-dom|scheduler|@tanstack)\/(?!.*nfinite|(?:react-virtual|virtual-core)\/)|node_modules\/use-sync-external-store\/(?!.*with-selector)/,
}
/** What every list needs, and what every record needs: neither the other, nor anyone who sees none. */
const listParts = '(?:Check|Panel|SearchBox|Status|Select)'
const recordParts = '(?:CompareDialog|DangerZone|PasteList|pasted-lines|Picker|SaveBar|TextArea|TypeToConfirm)'
const listRoom = '(?:List|Pager|bulk\\.|RowName|list-|use-list|columns|selection|table-choice)'
const lists = {
  name: 'lists',
  test: new RegExp(
    `web/src/(?:directory/${listRoom}|ui/${listParts}\\.)|web/src/users/names|contract/src/(?:roles|users)\\.|lucide-react/dist/esm/icons/mail\\.`,
  ),
}
/** What those with a role see around every page. */
const roles = { name: 'roles', test: /web\/src\/app\/(?:SideBar|role-pages)\./ }
/** Of the front page and of the side bar, and neither needs the other. */
const mrz = { name: 'mrz', test: /web\/src\/ui\/mrz\./ }
/** What tells of a person, on the front page and of the account; and what pages are made of that hold forms or tabs. */
const ownParts = '(?:Card|CopyButton|LoginUse|activity|provider-names|use-copy)'
const formParts = '(?:AccountHead|Dialog|LeaveGuard|Tabs)'
const own = {
  name: 'own',
  test: new RegExp(`web/src/(?:app|ui)/${ownParts}\\.|contract/src/accounts\\.`),
  minShareCount: 2,
}
const forms = { name: 'forms', test: new RegExp(`web/src/(?:app|ui)/${formParts}\\.`) }
/** What the first row brings that is chosen in a list. */
const bulkParts = 'web/src/(?:directory/BulkBar|ui/(?:ResultReport|undo-toast))\\.'
const bulk = { name: 'bulk', test: new RegExp(bulkParts) }
const records = {
  name: 'records',
  test: new RegExp(`react-hook-form/|web/src/(?:directory/(?!${listRoom}|BulkBar)|ui/${recordParts}\\.)`),
}
/**
 * What several pages need, in one file: many small ones compress worse. Not what only those with a role need. It comes
 * before the parts of lists and records, which take along whatever they import.
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
      // Browsers that know what our style sheet is made of know this too.
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
