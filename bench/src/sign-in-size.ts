import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { bundle } from '@passport/world/bundle'
import type { Plugin } from 'vite'

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
    gzipSync(await bundle('one-import', [oneImport(code)]), { level: 9 }).length,
  ]
  return Promise.all(Object.entries(imports).map(sizeOf))
}

/** The entry is a file of this folder that is not there: from here the packages are found. */
const entry = fileURLToPath(new URL('./one-import.js', import.meta.url))

const oneImport = (code: string): Plugin => ({
  name: 'one-import',
  resolveId: (id) => (id === 'one-import' ? entry : null),
  load: (id) => (id === entry ? code : null),
})
