import { v1 } from '@authzed/authzed-node'
import type { Token } from '@passport/permissions/engine'

/** Where SpiceDB is, as host and port, and its preshared key. */
export interface SpiceDbAddress {
  endpoint: string
  token: string
  /** Without TLS, also to other machines; the key then goes over the network as it is. */
  insecure?: boolean
}

/** Clients that are connected already; `watch` must not have a deadline. */
export interface SpiceDbClients {
  permissions: v1.ZedClientInterface
  schema: v1.ZedClientInterface
  watch: v1.ZedClientInterface
  close(): void
}

export function connect({ endpoint, token, insecure }: SpiceDbAddress): SpiceDbClients {
  const security = insecure ? v1.ClientSecurity.INSECURE_PLAINTEXT_CREDENTIALS : v1.ClientSecurity.SECURE
  // The client puts a deadline of half a minute on every service but those that it connects at once: the watch.
  const watchService = 4
  const client = v1.NewClient(token, endpoint, security, watchService)
  return { permissions: client, schema: client, watch: client, close: () => client.close() }
}

/** An installation without a schema has an empty one, which SpiceDB calls not found. */
export async function readSchemaText(schema: v1.ZedClientInterface): Promise<{ text: string; readAt: Token }> {
  try {
    const { schemaText, readAt } = await schema.promises.readSchema({})
    return { text: schemaText, readAt: readAt?.token ?? '' }
  } catch (error) {
    if (/no schema has been defined/i.test(String((error as Error).message))) return { text: '', readAt: '' }
    throw error
  }
}
