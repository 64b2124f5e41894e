import { gzipSync } from 'node:zlib'
import { bundleOf, type SignInClient, signInClients } from './sign-in-clients.ts'

/** The bytes of the sign-in clients, bundled the same way, minified and with gzip. */
export async function signInSizes(): Promise<[name: string, bytes: number][]> {
  const sizeOf = async (client: SignInClient): Promise<[string, number]> => [
    client,
    gzipSync(await bundleOf(client), { level: 9 }).length,
  ]
  return Promise.all(signInClients.map(sizeOf))
}
