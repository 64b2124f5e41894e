import { fileURLToPath } from 'node:url'
import { bundle } from '@passport/world/bundle'
import type { Plugin } from 'vite'

/** The sign-in clients that are compared; the first is ours. */
export const signInClients = ['@passport/sign-in', 'oidc-client 1.11.5', 'oidc-client-ts 3.5.0'] as const
export type SignInClient = (typeof signInClients)[number]

const source = fileURLToPath(new URL('../../sign-in/src/index.ts', import.meta.url))

const imports: Record<SignInClient, string> = {
  '@passport/sign-in': `export { createSigninClient } from '${source}'`,
  'oidc-client 1.11.5': "export { UserManager } from 'oidc-client'",
  'oidc-client-ts 3.5.0': "export { UserManager } from 'oidc-client-ts'",
}

/** What an app imports to sign people in with it and all that this needs, as one minified module. */
export const bundleOf = (client: SignInClient): Promise<string> => bundle('one-import', [oneImport(imports[client])])

/** The entry is a file of this folder that is not there: from here the packages are found. */
const entry = fileURLToPath(new URL('./one-import.js', import.meta.url))

const oneImport = (code: string): Plugin => ({
  name: 'one-import',
  resolveId: (id) => (id === 'one-import' ? entry : null),
  load: (id) => (id === entry ? code : null),
})
