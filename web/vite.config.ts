import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'
import { bareContract } from './bare-contract.ts'
import { bareIcons } from './bare-icons.ts'

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

/** Libraries that every page needs, without the parts of endless lists and forms: they change only with a dependency. */
const libraries = {
  name: 'libraries',
  priority: 3,
  test: /node_modules\/(?:react|react-dom|scheduler|@tanstack\/(?!(?:react-)?virtual)[\w-]+)\/(?!.*\/(?:infiniteQueryObserver|useInfiniteQuery|queriesObserver|useQueries|useBlocker)\.js$)/,
}
interface Graph {
  getModuleInfo: (id: string) => { importedIds: readonly string[] } | null
}

const iconIndex = join(import.meta.dirname, '../node_modules/lucide-react/dist/esm/lucide-react.mjs')

/** Returns a test for the modules that a file imports, directly or through others, without those of `import()`. */
function importedBy(file: string) {
  const root = join(import.meta.dirname, file)
  let ids: Set<string> | undefined
  return (id: string, graph: Graph) => {
    if (!ids) {
      ids = collectImports(root, graph, new Set())
      for (const icon of findIcons(ids)) collectImports(icon, graph, ids)
    }
    return ids.has(id)
  }
}

function collectImports(id: string, graph: Graph, ids: Set<string>): Set<string> {
  if (ids.has(id) || id === iconIndex) return ids
  ids.add(id)
  for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) collectImports(imported, graph, ids)
  return ids
}

/**
 * Returns the files of the icons that modules import by name. They are not in the graph, which has only the index of the
 * library: that imports every icon.
 */
function findIcons(ids: Set<string>): string[] {
  const index = readFileSync(iconIndex, 'utf8')
  const files = new Map(
    [...index.matchAll(/^export \{(.*)\} from '(.*)';$/gm)].flatMap(([, names = '', file = '']) =>
      [...names.matchAll(/default as (\w+)/g)].map(([, name = '']) => [name, join(iconIndex, '..', file)] as const),
    ),
  )
  return [...ids]
    .filter((id) => /\/web\/src\/.*\.tsx?$/.test(id))
    .flatMap((id) => [...readFileSync(id, 'utf8').matchAll(/^import \{([^}]*)\} from 'lucide-react'/gm)])
    .flatMap(([, names = '']) => [...names.matchAll(/(?:^|,)\s*(\w+)/g)])
    .flatMap(([, name = '']) => files.get(name) ?? [])
}

const isOurs = /web\/src\/|contract\/src\/|\/lucide-react\//
const isOfShell = importedBy('src/app/routes.tsx')
/** What every page loads before its own file. One file compresses better than several. */
const shell = {
  debugName: 'shell',
  name: (id: string, graph: Graph) => (isOfShell(id, graph) ? 'shell' : null),
  test: isOurs,
  priority: 2,
}
/** Parts of the lists of records, which other tables use too. */
const lists = {
  name: 'lists',
  test: /\/directory\/(?:bulk|ListChips|RowName|list-cursor|user-detail|user-names|selection|total)\.tsx?$|\/ui\/SearchBox\.tsx$|\/users\/bulk-texts\.ts$/,
  minShareCount: 2,
}
/** The page of a list of records. */
const listPage = {
  name: 'list-page',
  test: /\/directory\/(?:FilterChips|List(?:Layout|Page|States|Table|Tools)|list-\w+|Pager|TagList|UserViews|columns|table-layout|use-list(?:-shortcuts)?)\.tsx?$/,
  minShareCount: 2,
}
/** Icons that several pages share: a file for each would cost more than the icons. */
const icons = {
  name: 'icons',
  test: /\/icons\/(?:arrow-right|ban|circle-check|circle-off|file-up|mail|pencil|shield-exclamation-point|upload)\.mjs$/,
  minShareCount: 2,
}
/** Icons that several pages share, none of which is a first visit. */
const otherIcons = {
  name: 'other-icons',
  test: /\/icons\/(?:circle-x|clock|image-up|minus|play|rotate-c?cw|triangle-exclamation-point)\.mjs$/,
  minShareCount: 2,
}
/** The menu in the head of every page for administrators. */
const pageMenu = {
  name: 'page-menu',
  test: /\/directory\/PageMenu\.tsx$|\/icons\/(?:code|download|ellipsis|external-link|link)\.mjs$/,
  minShareCount: 2,
  priority: 1,
}
/** The calls of the directory's lists, which are short. */
const directoryCalls = { name: 'directory-calls', test: /contract\/src\/(?:users|orgs|roles)\.ts$/, minShareCount: 2 }
/** Short parts of the pages of records, for the same reason. */
const recordParts = {
  name: 'record-parts',
  test: /\/(?:directory\/(?:BackLink|WhatFollows)|roles\/DescriptionField)\.tsx$/,
  minShareCount: 2,
}
/** Parts of an avatar, on the user's own profile page and on the page for administrators. */
const avatar = {
  name: 'avatar',
  test: /\/profile\/(?:ModelView|RemoveFile|SourceLine|Stage|avatar-sources|refresh-avatars)\.tsx?$/,
  minShareCount: 2,
}
const isOfForms =
  /\/ui\/(?:CompareDialog|SaveBar|ResultReport|TypeToConfirm|TextArea|Picker)\.tsx|contract\/src\/(?:audit|users|orgs|groups|roles|permissions|profile|config-entry)\.ts|\/app\/(?:activity|drafts|LeaveGuard|DraftOffer|ReauthenticationDialog|optimistic-update|page-call|record-path)|\/ui\/(?:ObjectIcon|SearchBox)\.tsx/
const isOfManyPages =
  /web\/src\/(?:app|ui)\/|contract\/src\/|\/icons\/(?:chevron-(?:down|left|right)|check|copy|plus|x)\.mjs$/
/** What many pages share, except activity, and the forms of records, which no page of a first visit has. */
const shared = {
  name: 'shared',
  test: (id: string) => isOfManyPages.test(id) && !isOfForms.test(id),
  minShareCount: 11,
  priority: 1,
}

/** The files of every first visit, whose names the build refers to. */
const namedChunks = new Set(['libraries', 'rolldown-runtime', 'shell', 'shared'])

const server = `http://localhost:${process.env['PORT'] ?? 3000}`

export default defineConfig({
  root: import.meta.dirname,
  base: '/app/',
  // Our own packages are bundled from their sources: nothing else has to be built first.
  resolve: { conditions: ['@passport/source', ...defaultClientConditions] },
  plugins: [bareContract, bareIcons, react(), tailwindcss(), preloadFont, compress],
  build: {
    manifest: true,
    assetsInlineLimit: 0,
    modulePreload: {
      // Browsers that support our style sheet support this too.
      polyfill: false,
      // The shell has a list for each page, and every page has loaded these before.
      resolveDependencies: (_file, files, { hostType }) =>
        files.filter((file) => hostType === 'html' || !/\/(?:libraries|rolldown-runtime)-/.test(file)),
    },
    rolldownOptions: {
      input: { index: join(import.meta.dirname, 'index.html'), pages: join(import.meta.dirname, 'src/pages.css') },
      output: {
        // The shell lists every file, and a hash does not compress: 28 bits distinguish the versions of a file.
        hashCharacters: 'hex',
        chunkFileNames: ({ name, isDynamicEntry }) =>
          // The names of other parts that pages share would only make the list longer.
          `assets/${isDynamicEntry || namedChunks.has(name) ? '[name]-' : ''}[hash:7].js`,
        assetFileNames: 'assets/[name]-[hash:7][extname]',
        codeSplitting: {
          groups: [
            libraries,
            shell,
            shared,
            lists,
            listPage,
            icons,
            otherIcons,
            pageMenu,
            directoryCalls,
            recordParts,
            avatar,
          ],
        },
      },
    },
  },
  server: {
    // Everything outside /app/ is the server's.
    proxy: { '^/(?!app/)': { target: server, changeOrigin: false } },
  },
})
