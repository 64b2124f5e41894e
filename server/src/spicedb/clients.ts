import { v1 } from '@authzed/authzed-node'
import type { Token } from '@passport/permissions'

/** The connection to a SpiceDB. */
export interface SpiceDbAddress {
  /** Host and port. */
  endpoint: string
  /** The preshared key. */
  token: string
  /** Connects without TLS, even to other machines; the key is then sent in plain text. */
  insecure?: boolean
}

export interface SpiceDbClients {
  permissions: v1.ZedClientInterface
  schema: v1.ZedClientInterface
  /** Without a deadline. */
  watch: v1.ZedClientInterface
  close(): void
}

export function connect({ endpoint, token, insecure }: SpiceDbAddress): SpiceDbClients {
  const security = insecure ? v1.ClientSecurity.INSECURE_PLAINTEXT_CREDENTIALS : v1.ClientSecurity.SECURE
  // The client sets a deadline of 30 seconds on every service except one that it connects at once: here, the watch.
  const watchService = 4
  const client = v1.NewClient(token, endpoint, security, watchService)
  return { permissions: client, schema: client, watch: client, close: () => client.close() }
}

/** Reads the schema. SpiceDB without a schema responds with an error, which is read as an empty schema. */
export async function readSchemaText({ schema }: SpiceDbClients): Promise<{ text: string; readAt: Token }> {
  try {
    const { schemaText, readAt } = await schema.promises.readSchema({})
    return { text: schemaText, readAt: readAt?.token ?? '' }
  } catch (error) {
    if (/no schema has been defined/i.test(String((error as Error).message))) return { text: '', readAt: '' }
    throw error
  }
}
