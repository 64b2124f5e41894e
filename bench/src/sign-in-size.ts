import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** What one imports to sign people in with each. */
const imports = {
  '@passport/sign-in': `export { createSigninClient } from '${fileURLToPath(new URL('../../sign-in/src/index.ts', import.meta.url))}'`,
  'oidc-client 1.11.5': "export { UserManager } from 'oidc-client'",
  'oidc-client-ts 3': "export { UserManager } from 'oidc-client-ts'",
}

/** The bytes of the sign-in clients, bundled the same way, minified and with gzip. */
export async function signInSizes(): Promise<[name: string, bytes: number][]> {
  const sizeOf = async ([name, code]: [string, string]): Promise<[string, number]> => [
    name,
    gzipSync(await bundle(code), { level: 9 }).length,
  ]
  return Promise.all(Object.entries(imports).map(sizeOf))
}

async function bundle(code: string): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'error',
    root: fileURLToPath(new URL('..', import.meta.url)),
    plugins: [
      {
        name: 'one-import',
        resolveId: (id) => (id === 'one-import' ? fileURLToPath(new URL('./one-import.js', import.meta.url)) : null),
        load: (id) => (id.endsWith('one-import.js') ? code : null),
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      target: 'es2024',
      rolldownOptions: { input: 'one-import', preserveEntrySignatures: 'strict' },
    },
  })
  if (!('output' in built)) throw new Error('Nothing was built')
  return built.output[0].code
}
