import { gzipSync } from 'node:zlib'
import { bundleClient, type SignInClient, signInClients } from './sign-in-clients.ts'

/** Returns the size of each sign-in client in bytes, bundled the same way, minified and gzipped. */
export async function measureSignInSizes(): Promise<[name: string, bytes: number][]> {
  const measureSize = async (client: SignInClient): Promise<[string, number]> => [
    client,
    gzipSync(await bundleClient(client), { level: 9 }).length,
  ]
  return Promise.all(signInClients.map(measureSize))
}
