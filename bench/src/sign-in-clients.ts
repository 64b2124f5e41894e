import { fileURLToPath } from 'node:url'
import { bundle } from '@passport/world/bundle'
import type { Plugin } from 'vite'

/** The compared sign-in clients; the first is Passport's. */
export const signInClients = ['@passport/sign-in', 'oidc-client 1.11.5', 'oidc-client-ts 3.5.0'] as const
export type SignInClient = (typeof signInClients)[number]

const source = fileURLToPath(new URL('../../sign-in/src/index.ts', import.meta.url))

const imports: Record<SignInClient, string> = {
  '@passport/sign-in': `export { createSigninClient } from '${source}'`,
  'oidc-client 1.11.5': "export { UserManager } from 'oidc-client'",
  'oidc-client-ts 3.5.0': "export { UserManager } from 'oidc-client-ts'",
}

/**
 * Bundles the imports that an app needs to sign in with the client, with their dependencies, as one minified module.
 */
export const bundleClient = (client: SignInClient): Promise<string> =>
  bundle('one-import', [createImportPlugin(imports[client])])

/** The entry is a non-existent file of this folder, so that packages resolve from here. */
const entry = fileURLToPath(new URL('./one-import.js', import.meta.url))

const createImportPlugin = (code: string): Plugin => ({
  name: 'one-import',
  resolveId: (id) => (id === 'one-import' ? entry : null),
  load: (id) => (id === entry ? code : null),
})
